import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { programTree } from '@loopwatch/test-support';
import type { Consumer, ProgramTree } from '@loopwatch/test-support';

import { programsDirectory } from '../expectation.ts';

/** Written to the standard output when the program has started and waits for its block. */
export const WAITS = 'the program waits';
/** Name of the environment variable with the length of the wait, in ms. */
export const ENV_WAIT_MS = 'CORPUS_WAIT_MS';

/** Each program starts a timer of 300 ms, or 400 ms, before its block. One has an interval that it counts to four. */
const shortWait = /(\bsleep\(|\}, |0\.4\), |sweepAfterMs: )(?:300|400)\b/;
const countedInterval = /(\}, )100\b/;

/**
 * The corpus with a longer wait between the start of a program and its block, so that another process can attach to it
 * meanwhile. Nothing else changes: the same timer, on the same line.
 */
export async function waitingPrograms(consumer: Consumer): Promise<ProgramTree> {
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'loopwatch-corpus-'));
  const copy = path.join(scratch, 'waiting-programs');
  try {
    await cp(programsDirectory, copy, { recursive: true });
    const names = (await readdir(copy)).filter((name) => /\.[cm][jt]s$/.test(name));
    for (const name of names) {
      const file = path.join(copy, name);
      await writeFile(file, withLongWait(name, await readFile(file, 'utf8')));
    }
    return await programTree(consumer, copy);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The expression of the wait is evaluated when the timer starts. */
export function withLongWait(program: string, source: string): string {
  const waitMs = (divisor: number): string =>
    `$1(process.stdout.write('${WAITS}\\n'), Number(process.env.${ENV_WAIT_MS}) / ${divisor})`;
  const changed = shortWait.test(source)
    ? source.replace(shortWait, waitMs(1))
    : source.replace(countedInterval, waitMs(4));
  if (changed === source) throw new Error(`Expected ${program} to start a timer before its block, found none.`);
  return changed;
}
