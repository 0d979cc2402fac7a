import { describe, expect, test } from '@jest/globals';

import { culpritKey } from '../../src/model/blocks/culprits.js';
import { newVersionLookup, type VersionedData } from '../../src/model/blocks/new-version.js';
import type { Block, Instance, LagPoint } from '../../src/model/types.js';
import { makeBlock, makeLag } from '../support/records.js';

const instance = (id: string, version?: string, service = 'shop'): Instance => ({
  id,
  service,
  label: id,
  ...(version !== undefined && { version }),
});
const watched = (id: string, startMs: number, endMs: number, threadName = 'main'): LagPoint =>
  makeLag({ instance: id, threadName, startMs, endMs });
const blocksIn = (id: string, startsMs: readonly number[]): Block[] =>
  startsMs.map((startMs, index) => makeBlock({ id: `${id}-${index}`, instance: id, startMs }));
const times = (count: number, fromMs: number): number[] => Array.from({ length: count }, (_, i) => fromMs + i * 1000);

/** Version 1 for a minute, then version 2 for a minute, in which the culprit blocks. */
function release(blocks: readonly Block[], change: Partial<VersionedData> = {}): VersionedData {
  return {
    instances: [instance('a', '1.0.0'), instance('b', '2.0.0')],
    lag: [watched('a', 0, 60_000), watched('b', 60_000, 120_000)],
    blocks,
    droppedBlocks: 0,
    ...change,
  };
}

const key = culpritKey(makeBlock());
const newVersionOf = (culprit: string, data: VersionedData): string | undefined => newVersionLookup(data)(culprit);

describe('the version in which a culprit is new', () => {
  const often = blocksIn('b', times(8, 61_000));

  test('is the newest, if the culprit blocks there alone and often', () => {
    expect(newVersionOf(key, release(often))).toBe('2.0.0');
  });

  test('is unknown of an anonymous function that has moved within its file', () => {
    const anonymous = (block: Block, line: number): Block => ({
      ...block,
      culprit: { functionName: '<anonymous>', filePath: '/app/routes.js', lineNumber: line + 1, columnNumber: 1 },
      definedAt: line,
    });
    const moved = often.map((block) => anonymous(block, 9));
    const before = blocksIn('a', [30_000]).map((block) => anonymous(block, 3));
    expect(newVersionOf(culpritKey(moved[0]!), release(moved))).toBe('2.0.0');
    expect(newVersionOf(culpritKey(moved[0]!), release([...moved, ...before]))).toBeUndefined();
  });

  test.each<[string, VersionedData]>([
    ['it blocked before, too', release([...often, ...blocksIn('a', [30_000])])],
    ['so few blocks are chance', release(often.slice(0, 6))],
    ['it blocks in the older version alone', release(blocksIn('a', times(8, 1_000)))],
    [
      'the older version was hardly watched',
      release(often, { lag: [watched('a', 0, 5_000), watched('b', 5_000, 120_000)] }),
    ],
    ['there is one version', release(often, { instances: [instance('a', '2.0.0'), instance('b', '2.0.0')] })],
    ['the versions are unknown', release(often, { instances: [instance('a'), instance('b')] })],
    [
      'the older version is of another service',
      release(often, { instances: [instance('a', '1.0.0', 'mail'), instance('b', '2.0.0')] }),
    ],
    ['what the older version did was evicted', release(often, { droppedBlocks: 5 })],
  ])('is unknown where %s', (_, data) => {
    expect(newVersionOf(key, data)).toBeUndefined();
  });

  test('counts the time of an instance once, however many threads it has', () => {
    const lag = [watched('a', 0, 5_000), watched('a', 0, 5_000, 'pool'), watched('b', 5_000, 10_000)];
    expect(newVersionOf(key, release(often.slice(0, 6), { lag }))).toBeUndefined();
  });

  test('of each of many culprits is found without going through all instances and lag for each', () => {
    const count = 400;
    let reads = 0;
    const counted = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (object, name) => {
          reads++;
          return Reflect.get(object, name) as unknown;
        },
      });
    const ids = Array.from({ length: count }, (_, i) => `i${i}`);
    const versionOf = (i: number): string => (i % 2 === 0 ? '1.0.0' : '2.0.0');
    const data = release(
      ids.map((id) =>
        makeBlock({
          id,
          instance: id,
          culprit: { functionName: id, filePath: '/app/a.js', lineNumber: 1, columnNumber: 1 },
        }),
      ),
      {
        instances: ids.map((id, i) => counted(instance(id, versionOf(i)))),
        lag: ids.map((id, i) => counted(watched(id, (i % 2) * 60_000, (1 + (i % 2)) * 60_000))),
      },
    );
    const lookUp = newVersionLookup(data);
    for (const block of data.blocks) lookUp(culpritKey(block));
    expect(reads).toBeLessThan(50 * count);
  });
});
