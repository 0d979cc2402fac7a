import process from 'node:process';

/** Begins the lines that `run` and `attach` print between those of the program. */
export const PREFIX = 'loopwatch ';

export function say(line: string): void {
  process.stderr.write(`${PREFIX}${line}\n`);
}

/**
 * Prints the result of a command. A reader that has gone, as with `| head`, is no failure; a disk that is full is one.
 * Not for `run`: the stream makes a pipe non-blocking that the program shares.
 */
export function printLines(lines: readonly string[]): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.stderr.write(`loopwatch: Cannot write to stdout: ${message}\n`);
    process.exitCode = 1;
  });
  process.stdout.write(`${lines.join('\n')}\n`);
}
