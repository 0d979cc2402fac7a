/**
 * What the user should know of arguments that Node.js could not decode: it replaces the bytes that are not UTF-8, and has no
 * others to hand on.
 */
export function undecodedArgument(command: readonly string[]): string | undefined {
  if (!command.some((argument) => argument.includes('\ufffd'))) return undefined;
  return 'An argument contains U+FFFD: if its bytes are not UTF-8, the program gets a changed argument. A script that has the argument can start the program.';
}
