import { describe, expect, test } from '@jest/globals';
import { IdleMode, SlotInt, SlotTime } from '../../../src/contract/registry-layout.js';
import { Registry } from '../../../src/contract/registry.js';
import { blockedSince, mainThreadTick } from '../../../src/liveness/main-thread.js';

const suspectAfterMs = 25;
const seen = (since: number, lookedAt: number): Float64Array => Float64Array.of(since, lookedAt);

describe('The main thread is blocked', () => {
  test('since when the watchdog has seen it, as long as it has not ticked', () => {
    expect(blockedSince(seen(1000, 5000), { tickAt: 1000, suspectAfterMs }, 5010)).toBe(1000);
    expect(blockedSince(seen(1500, 5000), { tickAt: 1000, suspectAfterMs }, 5010)).toBe(1500); // suspended until then
  });

  test('also while the watchdog does nothing', () => {
    expect(blockedSince(seen(1000, 1030), { tickAt: 1000, suspectAfterMs }, 90_000)).toBe(1000);
  });

  test('since its last tick, where the watchdog has not looked since it is late', () => {
    expect(blockedSince(seen(0, 1020), { tickAt: 1000, suspectAfterMs }, 1040)).toBe(1000);
    expect(blockedSince(seen(500, 1020), { tickAt: 1000, suspectAfterMs }, 1040)).toBe(1000);
  });
});

describe('The main thread is not blocked', () => {
  test('by a block that the watchdog has seen, when it has ticked since', () => {
    expect(blockedSince(seen(1000, 5000), { tickAt: 5001, suspectAfterMs }, 5010)).toBeUndefined();
  });

  test('when the watchdog has looked at the late thread and found it idle', () => {
    expect(blockedSince(seen(0, 5000), { tickAt: 1000, suspectAfterMs }, 5010)).toBeUndefined();
  });

  test('when the watchdog has not looked for a while: the process may have been suspended', () => {
    expect(blockedSince(seen(0, 1010), { tickAt: 1000, suspectAfterMs }, 61_000)).toBeUndefined();
  });

  test('in idle mode, where its tick may be old, and before its loop runs', () => {
    expect(blockedSince(seen(0, 1010), { tickAt: 1000, suspectAfterMs: undefined }, 1100)).toBeUndefined();
    expect(blockedSince(seen(0, 1010), { tickAt: 0, suspectAfterMs }, 1100)).toBeUndefined();
  });
});

test('the tick is that of the main thread', () => {
  const registry = new Registry();
  expect(mainThreadTick(registry)).toEqual({ tickAt: 0, suspectAfterMs: undefined });
  registry.claim(3, 'worker')!.setTime(SlotTime.tickAt, 7);
  const slot = registry.claim(0, 'main')!;
  slot.setTime(SlotTime.tickAt, 1000);
  slot.setTime(SlotTime.suspectAfterMs, suspectAfterMs);
  expect(mainThreadTick(registry)).toEqual({ tickAt: 1000, suspectAfterMs });
  slot.setInt(SlotInt.idleMode, IdleMode.active);
  expect(mainThreadTick(registry)).toEqual({ tickAt: 1000, suspectAfterMs: undefined });
});
