import { expect, jest, test } from '@jest/globals';
import { describeCombination, runProgram } from '@loopwatch/test-support';

import { expectCleanExit, fixtureTree } from './support.ts';
import { node24, workerName } from './thread-support.ts';

const concurrentWorkers = 64;
const totalWorkers = 320;
const blockingWorkers = 24;
/** Claims of a registry slot by the main thread, which are cheaper than a worker each. The registry has 1024 slots. */
const furtherClaims = 2000;
const killTimeoutMs = 200_000;

interface ReportedBlock {
  readonly stackTrace?: string;
  readonly stackQuality: string;
  readonly threadId: number;
  readonly threadName: string;
  readonly startTime: number;
  readonly endTime: number;
}

/** A worker's own measurement of its block, and the blocks that were reported for it. */
interface BlockedWorker {
  readonly name: string;
  readonly threadId: number;
  readonly startTime: number;
  readonly endTime: number;
  readonly reportedBlocks: readonly ReportedBlock[];
}

interface Usage {
  readonly descriptors: number;
  readonly bytes: number;
}

jest.setTimeout(killTimeoutMs + 20_000);

test('Among hundreds of workers that come and go, each block is reported for the right worker, and nothing is left behind', async () => {
  const tree = await fixtureTree(node24);
  const result = await runProgram({
    combination: node24,
    tree,
    program: 'worker-swarm.cjs',
    args: [concurrentWorkers, totalWorkers, blockingWorkers, furtherClaims].map(String),
    preload: 'none',
    flags: ['--expose-gc'],
    timeoutMs: killTimeoutMs,
  });
  expectCleanExit(result);
  expect(`${describeCombination(node24)}: ${result.stderr}`).toBe(`${describeCombination(node24)}: `);
  expect(result.notes.get('failures')).toEqual([]);

  const blockedWorkers = result.notes.get('blocked workers') as readonly BlockedWorker[];
  expect(blockedWorkers).toHaveLength(blockingWorkers);
  for (const { name, threadId, startTime, endTime, reportedBlocks } of blockedWorkers) {
    const middle = (startTime + endTime) / 2;
    const own = reportedBlocks.filter((block) => block.startTime < middle && block.endTime > middle);
    const threadName = workerName(node24, name.replace('blockOf', 'swarm-'));
    expect(own).toEqual([expect.objectContaining({ threadId, threadName })]);
    // A starved thread may answer only after its block. The caller is then the culprit, never a function of another worker.
    const functions = String(own[0]?.stackTrace).match(/blockOf\d+/g) ?? [];
    expect(new Set([name, ...functions])).toEqual(new Set([name]));
  }
  // So many threads starve each other: the watchdog may ask a few of them too late.
  const hasCulprit = ({ name, reportedBlocks }: BlockedWorker): boolean =>
    reportedBlocks.some((block) => block.stackTrace?.includes(name));
  expect(blockedWorkers.filter(hasCulprit).length).toBeGreaterThan(blockingWorkers / 2);

  const { early, late } = result.notes.get('growth') as { readonly early: Usage; readonly late: Usage };
  // Three quarters of the workers, 240, ran between the two measurements. One descriptor left by each would show as 240.
  expect(late.descriptors - early.descriptors).toBeLessThan(10);
  expect((late.bytes - early.bytes) / (totalWorkers * 0.75)).toBeLessThan(4000);
});
