/** With these, Node.js prints what any code of the process does, so that of Loopwatch too. */
const PRINTS_CALLS = ['--trace-sync-io', '--trace-atomics-wait', '--trace-promises'];
/** The same for each environment variable that is read. */
const PRINTS_VARIABLES = /^--trace-env(-|$)/;
const CHECKS_SYNTAX = ['--check', '-c'];

/** The option by which Node.js would print what Loopwatch does; undefined without such an option. */
export function optionThatPrintsCalls(execArgv: readonly string[], nodeOptions = ''): string | undefined {
  return [...execArgv, ...nodeOptions.split(/\s+/)].find((option) => PRINTS_CALLS.includes(option));
}

/** Whether Node.js prints each environment variable that is read. */
export function printsVariables(execArgv: readonly string[]): boolean {
  return execArgv.some((option) => PRINTS_VARIABLES.test(option));
}

/** Whether Node.js only checks the syntax of the program, and runs nothing of it. */
export function onlyChecksSyntax(execArgv: readonly string[]): boolean {
  return execArgv.some((option) => CHECKS_SYNTAX.includes(option));
}
