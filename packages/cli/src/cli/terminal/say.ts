import process from 'node:process';

/** Begins the lines that `run` and `attach` print between those of the program. */
export const PREFIX = 'loopwatch ';

export function say(line: string): void {
  process.stderr.write(`${PREFIX}${line}\n`);
}
