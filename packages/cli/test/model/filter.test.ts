import { describe, expect, test } from '@jest/globals';

import { filterBlocks } from '../../src/model/blocks/filter.js';
import { makeBlock } from '../support/records.js';

describe('filterBlocks', () => {
  const instances = new Map([['i1', { id: 'i1', service: 'api', label: 'pid 1' }]]);
  const blocks = [
    makeBlock({ id: 'a', startMs: 0, durationMs: 100, request: 'GET /traces' }),
    makeBlock({ id: 'b', startMs: 1_000, durationMs: 100, cause: 'gc' }),
    makeBlock({ id: 'c', startMs: 2_000, durationMs: 100, instance: 'gone' }),
  ];
  test.each([
    [{}, 'abc'],
    [{ text: ' TRACES ' }, 'a'],
    [{ text: 'slow.js' }, 'abc'],
    [{ cause: 'gc' as const }, 'b'],
    [{ service: 'api' }, 'ab'],
    [{ instance: 'gone' }, 'c'],
    [{ fromMs: 50, toMs: 1_000 }, 'ab'],
    [{ fromMs: 101, toMs: 999 }, ''],
  ])('%j leaves the blocks %s', (filter, ids) => {
    expect(
      filterBlocks(blocks, filter, instances)
        .map(({ id }) => id)
        .join(''),
    ).toBe(ids);
  });
});
