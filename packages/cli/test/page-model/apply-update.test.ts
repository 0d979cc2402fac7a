import { describe, expect, test } from '@jest/globals';

import { type PageState, rowOf } from '../../src/model/live/page.js';
import { applyUpdate } from '../../src/page/model/apply-update.js';
import { makeBlock, makeLag } from '../support/records.js';

const STATE: PageState = {
  title: 'Live',
  version: '0',
  startedMs: 0,
  droppedBlocks: 0,
  retentionMs: 10_000,
  maxBlocks: 3,
  instances: [],
  blocks: [],
  lag: [],
  threads: [],
  seen: [],
};
const NOTHING = {
  blocks: [],
  removedBlocks: [],
  lag: [],
  instances: [],
  threads: [],
  seen: [],
  droppedBlocks: 0,
  remarks: [],
};

describe('applyUpdate', () => {
  test('replaces a changed block at its position', () => {
    const first = applyUpdate(
      STATE,
      { ...NOTHING, blocks: [rowOf(makeBlock({ id: 'a' })), rowOf(makeBlock({ id: 'b' }))] },
      1_000,
    );
    const second = applyUpdate(first, { ...NOTHING, blocks: [rowOf(makeBlock({ id: 'a', request: 'GET /' }))] }, 1_000);
    expect(second.blocks.map(({ id, request }) => [id, request])).toEqual([
      ['a', 'GET /'],
      ['b', undefined],
    ]);
  });

  test('removes a hang report that another one replaces', () => {
    const blocks = ['a', 'b'].map((id) => rowOf(makeBlock({ id })));
    const first = applyUpdate(STATE, { ...NOTHING, blocks }, 1_000);
    const second = applyUpdate(first, { ...NOTHING, removedBlocks: ['a'] }, 1_000);
    expect(second.blocks.map(({ id }) => id)).toEqual(['b']);
  });

  test('evicts what is too old or exceeds the limit, as the server does', () => {
    const blocks = ['a', 'b', 'c', 'd'].map((id) => rowOf(makeBlock({ id, startMs: id === 'a' ? 0 : 5_000 })));
    const state = applyUpdate(
      STATE,
      { ...NOTHING, blocks, lag: [makeLag({ endMs: 100 }), makeLag({ endMs: 9_000 })] },
      12_000,
    );
    expect(state.blocks.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
    expect(state.lag.map(({ endMs }) => endMs)).toEqual([9_000]);
  });

  test('shows the remarks that hold now', () => {
    const first = applyUpdate(STATE, { ...NOTHING, remarks: ['Nothing is saved.'] }, 1_000);
    expect(first.remarks).toEqual(['Nothing is saved.']);
    expect(applyUpdate(first, NOTHING, 1_000).remarks).toEqual([]);
  });
});
