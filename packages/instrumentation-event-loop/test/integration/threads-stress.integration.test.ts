import { expect, jest, test } from '@jest/globals';
import { describeCombination, runProgram } from '@loopwatch/test-support';

import { expectCleanExit, fixtureTree } from './support.ts';
import { node24, workerName } from './thread-support.ts';

const atATime = 64;
const inAll = 320;
const blocking = 24;
/** Made by one thread, which is cheaper than a worker each. The registry has 1024 slots. */
const furtherClaims = 2000;
const killTimeoutMs = 200_000;

interface ToldBlock {
  readonly stackTrace?: string;
  readonly stackQuality: string;
  readonly threadId: number;
  readonly threadName: string;
  readonly startTime: number;
  readonly endTime: number;
}

/** What a worker that blocked says of itself, and what was told of it. */
interface Told {
  readonly name: string;
  readonly threadId: number;
  readonly startTime: number;
  readonly endTime: number;
  readonly blocksTold: readonly ToldBlock[];
}

interface Usage {
  readonly descriptors: number;
  readonly bytes: number;
}

jest.setTimeout(killTimeoutMs + 20_000);

test('Of hundreds of workers that come and go, each block is told of the right one, and nothing is left behind', async () => {
  const tree = await fixtureTree(node24);
  const result = await runProgram({
    combination: node24,
    tree,
    program: 'worker-swarm.cjs',
    args: [atATime, inAll, blocking, furtherClaims].map(String),
    preload: 'none',
    flags: ['--expose-gc'],
    timeoutMs: killTimeoutMs,
  });
  expectCleanExit(result);
  expect(`${describeCombination(node24)}: ${result.stderr}`).toBe(`${describeCombination(node24)}: `);
  expect(result.notes.get('failures')).toEqual([]);

  const told = result.notes.get('told') as readonly Told[];
  expect(told).toHaveLength(blocking);
  for (const { name, threadId, startTime, endTime, blocksTold } of told) {
    const middle = (startTime + endTime) / 2;
    const own = blocksTold.filter((block) => block.startTime < middle && block.endTime > middle);
    const threadName = workerName(node24, name.replace('blockOf', 'swarm-'));
    expect(own).toEqual([expect.objectContaining({ threadId, threadName })]);
    // A starved thread may answer only when its block is over: its caller is named then, and never another's function.
    const functions = String(own[0]?.stackTrace).match(/blockOf\d+/g) ?? [];
    expect(new Set([name, ...functions])).toEqual(new Set([name]));
  }
  // So many threads at once starve each other: a few may be asked too late.
  const isNamed = ({ name, blocksTold }: Told): boolean => blocksTold.some((block) => block.stackTrace?.includes(name));
  expect(told.filter(isNamed).length).toBeGreaterThan(blocking / 2);

  const { early, late } = result.notes.get('growth') as { readonly early: Usage; readonly late: Usage };
  // Three quarters of the workers came between the two: one thing left behind by each would be 240.
  expect(late.descriptors - early.descriptors).toBeLessThan(10);
  expect((late.bytes - early.bytes) / (inAll * 0.75)).toBeLessThan(4000);
});
