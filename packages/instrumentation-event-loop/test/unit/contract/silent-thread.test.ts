import { describe, expect, test } from '@jest/globals';
import { parseChild, parseChildren, silentState } from '../../../src/contract/silent-thread.js';

describe('a silent thread', () => {
  const state = (cpuMs: number | undefined, runQueueMs: number | undefined, isAsleep?: boolean): string =>
    silentState({ elapsedMs: 1000, cpuMs, runQueueMs, isAsleep });

  test.each([
    ['computes', 900, 50, false, 'computing'],
    ['computes on a machine where it waits for a CPU most of the time', 150, 840, false, 'computing'],
    ['computes, as the kernel does not count its waits', 900, undefined, false, 'computing'],
    ['sleeps', 3, 1, true, 'asleep'],
    ['does not sleep, although it is not on a CPU: a hypervisor has taken it', 3, 1, false, 'unknown'],
    ['waits for a CPU', 20, 970, false, 'queued'],
    ['sleeps, as far as its state shows', undefined, undefined, true, 'asleep'],
    ['computes, as far as its state shows', undefined, undefined, false, 'computing'],
    ['is unknown where nothing is', undefined, undefined, undefined, 'unknown'],
  ] as const)('%s', (_, cpuMs, runQueueMs, isAsleep, expected) => {
    expect(state(cpuMs, runQueueMs, isAsleep)).toBe(expected);
  });
});

test("the kernel's list of children", () => {
  expect(parseChildren('12 345 ')).toEqual([12, 345]);
  expect(parseChildren('')).toEqual([]);
});

describe("the kernel's line of a child", () => {
  const line = (name: string): string =>
    `4711 (${name}) S 1 ${Array.from({ length: 17 }, (_, i) => i).join(' ')} 12345 0 0`;

  test.each(['cat', 'a) S 1 (b', ''])('has its name, whatever that contains: %j', (name) => {
    expect(parseChild(line(name))).toEqual({ name, startedMs: 123_450 });
  });

  test('that is cut short is none', () => {
    expect(parseChild('4711 (cat) S')).toBeUndefined();
    expect(parseChild('')).toBeUndefined();
  });
});
