import { beforeEach, describe, expect, test } from '@jest/globals';

import type { ChannelRecord } from '../../src/channel/contract.js';
import { Exits, type ExitState } from '../../src/cli/store/exits.js';

let state: ExitState;
let exits: Exits;
beforeEach(() => {
  state = 'ends';
  exits = new Exits(() => state);
});

const end = (threadId = 0): ChannelRecord => ({ type: 'end', instance: '7', threadId });

describe('a process that has begun to end', () => {
  test('is known with the time since then, and not the end of its worker threads', () => {
    exits.note(end(3), 1_000);
    expect(exits.lasting(2_000)).toEqual([]);
    exits.note(end(), 2_000);
    expect(exits.lasting(5_000)).toEqual([{ instance: '7', lastsMs: 3_000 }]);
  });

  test.each(['ended', 'goes_on', undefined] as const)('is forgotten where it is %s', (now) => {
    exits.note(end(), 1_000);
    state = now;
    expect(exits.lasting(2_000)).toEqual([]);
    state = 'ends';
    expect(exits.lasting(5_000)).toEqual([]);
  });

  test('is forgotten where another one has its id', () => {
    exits.note(end(), 1_000);
    exits.note({ type: 'process', process: { id: '7', service: 'app.js', label: 'pid 7', pid: 7 } }, 2_000);
    expect(exits.lasting(5_000)).toEqual([]);
  });

  test('does not end while it is stopped', () => {
    exits.note(end(), 1_000);
    state = 'stopped';
    exits.lasting(9_000);
    state = 'ends';
    expect(exits.lasting(9_500)).toEqual([{ instance: '7', lastsMs: 500 }]);
  });
});
