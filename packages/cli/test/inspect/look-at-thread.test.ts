import { describe, expect, test } from '@jest/globals';

import { NoAnswer } from '../../src/cli/inspect/inspector/inspector-client.js';
import { lookAtThread } from '../../src/cli/inspect/inspector/look-at-thread.js';
import type { Snapshot } from '../../src/cli/inspect/inspector/snapshot.js';
import { type DumpFrame, isOfApplication } from '../../src/model/processes/dump.js';

const frame = (functionName: string, filePath = '/app/a.js'): DumpFrame => ({
  functionName,
  filePath,
  lineNumber: 1,
  columnNumber: 1,
  isAsync: false,
});
const taken = (frames: readonly DumpFrame[], more: Partial<Snapshot> = {}): Snapshot => ({
  pid: 1,
  frames,
  loopCount: 7,
  idleMs: 5,
  ...more,
});

/** A thread that answers with the snapshots in turn, the last one again and again, and uses that share of the CPU. */
function look(
  snapshots: readonly (Snapshot | undefined)[],
  cpuShare: number,
  isReady: (boolean | undefined)[] = [],
): ReturnType<typeof lookAtThread> {
  let asked = 0;
  const start = performance.now();
  return lookAtThread({
    threadId: 0,
    threadName: 'main',
    ask: () => Promise.resolve(snapshots[Math.min(asked++, snapshots.length - 1)]),
    cpuMs: () => (performance.now() - start) * cpuShare,
    isReady: () => isReady.shift(),
  });
}

describe('a thread', () => {
  test.concurrent('is ready to run where the kernel says so once', async () => {
    const runs = [taken([frame('scan')])];
    await expect(look(runs, 0.1, [false, true, false])).resolves.toMatchObject({ isReady: true });
    await expect(look(runs, 0.1, [false, false])).resolves.toMatchObject({ isReady: false });
    await expect(look(runs, 0.1)).resolves.not.toHaveProperty('isReady');
  });

  test.concurrent(
    'has run for at most the time until it was seen last, which is no less than for at least',
    async () => {
      const { atLeastMs, atMostMs = 0 } = await look([taken([frame('scan')], { atMostMs: 5 })], 0.1);
      expect(atLeastMs).toBeGreaterThanOrEqual(200);
      expect(atMostMs - atLeastMs).toBeCloseTo(5);
    },
  );

  test.concurrent('whose timer became due while another callback ran has run for no longer than that', async () => {
    const before = taken([frame('parse', 'node:internal/x')]);
    const { atLeastMs, atMostMs = 0 } = await look(
      [before, before, before, taken([frame('scan')], { atMostMs: 1 })],
      0.1,
    );
    expect(atLeastMs).toBe(atMostMs);
  });

  test.concurrent('is not said to run what it shows for the time of an iteration before', async () => {
    const before = taken([frame('parse', 'node:internal/x')]);
    const after = taken([frame('scan')], { loopCount: 8 });
    const later = taken([], { loopCount: 9 });
    await expect(look([before, before, before, after, later], 0.1)).resolves.toMatchObject({
      stack: [{ functionName: 'scan' }],
      atLeastMs: 0,
    });
  });

  test.concurrent('without a stack whose loop waits for events is idle', async () => {
    const waits = Array.from({ length: 30 }, (_, count) => taken([], { loopCount: count, idleMs: count }));
    await expect(look(waits, 0)).resolves.toMatchObject({ state: 'idle', stack: [], atLeastMs: 0 });
  });

  test.concurrent(
    'without a stack whose loop does not iterate is asked until it shows one, also where it hardly gets a CPU',
    async () => {
      const empty = Array.from({ length: 30 }, () => taken([]));
      const { state, stack } = await look([...empty, taken([frame('drain')])], 0.05);
      expect([state, stack.map(({ functionName }) => functionName)]).toEqual(['running', ['drain']]);
    },
  );

  test.concurrent('with functions of Node.js alone is asked until it shows one of the program', async () => {
    const own = Array.from({ length: 30 }, () => taken([frame('processTicks', 'node:internal/x')]));
    const { stack } = await look([...own, taken([frame('queueTicks')])], 0.05);
    expect(stack.map(({ functionName }) => functionName)).toEqual(['queueTicks']);
  });

  test.concurrent('without a stack that uses the CPU is asked until it shows one', async () => {
    const empty = Array.from({ length: 30 }, () => taken([]));
    const { state, stack } = await look([...empty, taken([frame('drain')])], 1);
    expect([state, stack.map(({ functionName }) => functionName)]).toEqual(['running', ['drain']]);
  });

  test.concurrent('that answers with exceptions alone is not idle: the dump says so', async () => {
    await expect(look([undefined], 1)).rejects.toThrow(/got exceptions: its stack is full, or/);
  });

  test.concurrent.each([
    ['WorkerThread', 'main'],
    ['', 'main'],
    ['renderer', 'renderer'],
  ])('that calls itself %j has the name %j', async (threadName, expected) => {
    await expect(look([taken([frame('scan')], { threadName })], 0.1)).resolves.toMatchObject({ threadName: expected });
  });

  test.concurrent('that never shows a stack is running, after a bounded time', async () => {
    await expect(look([taken([])], 1)).resolves.toMatchObject({ state: 'running', stack: [] });
  });

  test.concurrent('that sleeps in Atomics.wait is waiting', async () => {
    await expect(look([taken([frame('Atomics.wait', ''), frame('work')])], 0)).resolves.toMatchObject({
      state: 'waiting',
    });
  });

  test.concurrent('shows the stack with application code, rather than one of Node.js alone', async () => {
    const { stack } = await look([taken([frame('processTicks', 'node:internal/x')]), taken([frame('tick')])], 1);
    expect(stack.map(({ functionName }) => functionName)).toEqual(['tick']);
  });

  test.concurrent('whose answer cannot be used is asked again', async () => {
    const { stack } = await look([undefined, taken([frame('deep')])], 1);
    expect(stack).toHaveLength(1);
  });

  test.concurrent('that does not answer at all is not described', async () => {
    const access = {
      threadId: 0,
      threadName: 'main',
      cpuMs: () => 0,
      isReady: () => false,
      ask: () => Promise.reject(new NoAnswer('x')),
    };
    await expect(lookAtThread(access)).rejects.toBeInstanceOf(NoAnswer);
  });
});

test('the time in one iteration ends where the loop has iterated', async () => {
  const same = await look([taken([frame('work')])], 1);
  expect(same.atLeastMs).toBeGreaterThan(100);
  const other = await look([taken([frame('work')]), taken([frame('work')], { loopCount: 8 })], 1);
  expect(other.atLeastMs).toBe(0);
});

test.each([
  ['/app/a.js', true],
  ['file:///app/a.mjs', true],
  ['[worker eval]', true],
  ['node:internal/timers', false],
  ['/app/node_modules/x/index.js', false],
  ['', false],
])('a frame of %s is of the application: %j', (filePath, expected) => {
  expect(isOfApplication(frame('f', filePath))).toBe(expected);
});
