import { describe, expect, test } from '@jest/globals';
import { lateness, type LatenessContext } from '../../../../src/watchdog/scan/lateness.js';
import type { IdleState } from '../../../../src/watchdog/scan/idle-threads.js';

const looks = (state: IdleState, lastAt = 0): Pick<LatenessContext, 'idle'> => ({
  idle: { lastAt, look: () => state },
});

function latenessOf(overrides: Partial<LatenessContext> = {}): ReturnType<typeof lateness> {
  return lateness({
    tickAt: 1000,
    now: 4000,
    suspectAfterMs: 50,
    suspendedUntil: 0,
    isStalled: false,
    ...overrides,
  });
}

describe('a thread is late', () => {
  test('some time after its last tick', () => {
    expect(latenessOf()).toEqual({ notBlockedAt: 0, lateAt: 1050 });
  });

  test('some time after the process went on', () => {
    expect(latenessOf({ suspendedUntil: 3990 })).toEqual({ notBlockedAt: 3990, lateAt: 4040 });
  });
});

describe('a thread in idle mode', () => {
  test('is not late while it polls', () => {
    expect(latenessOf(looks('idle'))).toEqual({ notBlockedAt: 4000, lateAt: 4050 });
  });

  test('is late when it was seen twice outside of its poll phase', () => {
    expect(latenessOf(looks('unsure', 2000))).toEqual({ notBlockedAt: 2000, lateAt: 4010 });
    expect(latenessOf(looks('blocked', 2000))).toEqual({ notBlockedAt: 2000, lateAt: 2050 });
  });

  test('is looked at no earlier than half of the time before it can be late', () => {
    const look = (): never => {
      throw new Error('looked');
    };
    expect(latenessOf({ now: 1020, idle: { lastAt: 0, look } })).toEqual({ notBlockedAt: 0, lateAt: 1050 });
  });

  test('is still late when it is known to be stalled and has entered that mode since', () => {
    expect(latenessOf({ isStalled: true, ...looks('unsure') })).toEqual({ notBlockedAt: 0, lateAt: 1050 });
  });
});
