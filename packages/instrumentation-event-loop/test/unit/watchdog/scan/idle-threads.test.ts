import { beforeEach, describe, expect, test } from '@jest/globals';
import type { PollState } from '../../../../src/watchdog/scan/poll-state.js';
import { SlotInt, SlotTime } from '../../../../src/contract/registry-layout.js';
import { Registry } from '../../../../src/contract/registry.js';
import type { Slot } from '../../../../src/contract/slots.js';
import { IdleThreads } from '../../../../src/watchdog/scan/idle-threads.js';

const LOOP: PollState = { descriptor: 13 };
const EXEC_SYNC: PollState = { descriptor: 25 };

let registry: Registry;
let slot: Slot;
let state: PollState;
let opened: number;
let idleThreads: IdleThreads;

beforeEach(() => {
  registry = new Registry();
  slot = registry.claim(0, 'main')!;
  state = LOOP;
  opened = 0;
  idleThreads = new IdleThreads(() => {
    opened++;
    return {
      read: () => state,
      close: () => {
        opened--;
      },
    };
  });
});

function learn(): void {
  idleThreads.learn(slot, 1000);
  idleThreads.learn(slot, 1050);
}

describe('the poll descriptor of a loop', () => {
  test('is learnt when it is read in two iterations', () => {
    idleThreads.learn(slot, 1000);
    expect(slot.getInt(SlotInt.pollDescriptor)).toBe(0);
    idleThreads.learn(slot, 1050);
    expect(slot.getInt(SlotInt.pollDescriptor)).toBe(14);
  });

  test('is not learnt in one iteration, however often it is read', () => {
    for (let i = 0; i < 5; i++) idleThreads.learn(slot, 1000);
    expect(slot.getInt(SlotInt.pollDescriptor)).toBe(0);
  });

  test('is not that of a synchronous child process', () => {
    state = EXEC_SYNC;
    idleThreads.learn(slot, 1000);
    state = LOOP;
    idleThreads.learn(slot, 1050);
    expect(slot.getInt(SlotInt.pollDescriptor)).toBe(0);
    idleThreads.learn(slot, 1100);
    expect(slot.getInt(SlotInt.pollDescriptor)).toBe(14);
  });

  test('is not learnt while the thread does not poll', () => {
    state = 'elsewhere';
    learn();
    expect(slot.getInt(SlotInt.pollDescriptor)).toBe(0);
  });

  test('is given up where it cannot be read', () => {
    state = 'unseen';
    learn();
    expect(slot.getInt(SlotInt.pollDescriptor)).toBe(-1);
    state = LOOP;
    learn();
    expect(slot.getInt(SlotInt.pollDescriptor)).toBe(-1);
  });
});

describe('a thread in idle mode', () => {
  test('is idle while it polls with its own descriptor', () => {
    learn();
    expect(idleThreads.look(slot, 1050, 1200)).toBe('idle');
    expect(slot.getTime(SlotTime.polledAt)).toBe(1200);
    expect(idleThreads.lastIdle(slot)).toBe(1200);
  });

  test('is blocked when it does not poll at two readings', () => {
    learn();
    idleThreads.look(slot, 1050, 1200);
    state = 'elsewhere';
    expect(idleThreads.look(slot, 1050, 1280)).toBe('unsure');
    expect(idleThreads.look(slot, 1050, 1290)).toBe('blocked');
    expect(idleThreads.lastIdle(slot)).toBe(1200);
  });

  test('is blocked while it polls for a child process', () => {
    learn();
    state = EXEC_SYNC;
    idleThreads.look(slot, 1050, 1280);
    expect(idleThreads.look(slot, 1050, 1290)).toBe('blocked');
  });

  test('is not blocked when it polls again, or has made an iteration', () => {
    learn();
    state = 'elsewhere';
    expect(idleThreads.look(slot, 1050, 1280)).toBe('unsure');
    state = LOOP;
    expect(idleThreads.look(slot, 1050, 1290)).toBe('idle');
    state = 'elsewhere';
    expect(idleThreads.look(slot, 1050, 1370)).toBe('unsure');
    expect(idleThreads.look(slot, 1375, 1500)).toBe('unsure');
  });
});

describe('threads that come and go', () => {
  test('another thread in the slot starts anew', () => {
    learn();
    idleThreads.look(slot, 1050, 1200);
    registry.release(slot, 0);
    const next = registry.claim(7, 'worker')!;
    expect(next.index).toBe(slot.index);
    expect(idleThreads.lastIdle(next)).toBe(0);
    expect(next.getInt(SlotInt.pollDescriptor)).toBe(0);
    expect(opened).toBe(1);
  });

  test('the reader of a thread that has ended is closed', () => {
    learn();
    idleThreads.forget((index, generation) => !registry.slot(index).isLive(generation));
    expect(opened).toBe(1);
    registry.release(slot, 0);
    idleThreads.forget((index, generation) => !registry.slot(index).isLive(generation));
    expect(opened).toBe(0);
  });
});
