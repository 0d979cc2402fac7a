import { readFileSync } from 'node:fs';
import process from 'node:process';

import { createProgram } from './commands/command-line.js';
import { leaveInspectorPort } from './program/inspector-port.js';
import { nameRemovedDirectory } from './program/working-directory.js';
import { printableLines } from './terminal/line.js';

const packageJson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

leaveInspectorPort(process.execArgv);
nameRemovedDirectory();

// A closed stderr, such as a pipe whose reader has ended, must not end `run` while the program still runs.
process.stderr.on('error', () => undefined);

createProgram(packageJson.version, process.argv[2])
  .parseAsync()
  .catch((error: unknown) => {
    console.error(printableLines(`loopwatch: ${error instanceof Error ? error.message : String(error)}`));
    process.exitCode = exitCodeOf(error);
  });

/** An error that says how the command ends, such as that of a missing program, has an exit code. */
function exitCodeOf(error: unknown): number {
  const { exitCode } = error as { readonly exitCode?: unknown };
  return typeof exitCode === 'number' ? exitCode : 1;
}
