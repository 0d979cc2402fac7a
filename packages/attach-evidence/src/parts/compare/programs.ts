import path from 'node:path';

import { hangProgram, subjectsDirectory } from '../../paths.ts';
import { hangs } from '../hangs/measure-hangs.ts';

/** A program of the comparison: one that hangs for ever, or one that blocks about every second. */
export interface ComparedProgram {
  readonly file: string;
  readonly way: string;
  readonly label: string;
  readonly culprit: string;
  readonly hangs: boolean;
}

const blocking = path.join(subjectsDirectory, 'blocking.cjs');

const blockingPrograms: readonly ComparedProgram[] = (
  [
    ['loop', 'loop in a timer', 'findParent'],
    ['json', '`JSON.stringify` in a request', 'exportOrders'],
    ['pbkdf2', '`pbkdf2Sync`', 'hashPassword'],
    ['exec', '`spawnSync`', 'runCommand'],
    ['files', '`readFileSync`', 'readFiles'],
    ['lock', '`Atomics.wait`', 'waitForLock'],
    ['regex', 'regular expression', 'validateComment'],
    ['garbage', 'garbage collection', 'copyEverything'],
    ['promise', 'after an `await`', 'findParent'],
    ['worker', 'loop in a worker thread', 'findParent'],
  ] as const
).map(([way, label, culprit]) => ({ file: blocking, way, label, culprit, hangs: false }));

const hangingPrograms: readonly ComparedProgram[] = hangs
  .filter(({ culprit, way }) => culprit !== undefined && !['json', 'forAwait'].includes(way))
  .map(({ way, label, culprit }) => ({ file: hangProgram, way, label, culprit: culprit ?? '', hangs: true }))
  .concat({
    file: hangProgram,
    way: 'native',
    label: 'native call that does not end',
    culprit: 'hashPassword',
    hangs: true,
  });

export const comparedPrograms: readonly ComparedProgram[] = [...blockingPrograms, ...hangingPrograms];
