import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BusyPeriod } from '../../../src/blocks/busy-period.js';
import { judge } from '../../../src/blocks/judge.js';
import type { Frame, Sample, ThreadTimes } from '../../../src/contract/model.js';
import {
  builtinFrame,
  busyPeriod,
  entryFrame,
  frame,
  judgeContext,
  nodeFrame,
  reading,
  sampleAt,
} from '../support/builders.js';

const createSpans = frame('createSpans');

describe('run-queue time of a thread that woke up from idle polls before the block', () => {
  // 200 ms of idle polls before the block, in which it waited 60 ms for a CPU each time that it woke up.
  const before = reading(800, 50, 200, 10);
  const asleep = [nodeFrame('spawnSync'), nodeFrame('execSync'), createSpans];
  const blockOf = (samples: readonly Sample[], cpuMs: number, runQueueMs: number) =>
    judge(busyPeriod({ samples, before, after: reading(1300, 250, 200 + cpuMs, 10 + runQueueMs) }), judgeContext())
      .block;
  const answered = (sentAt: number, takenAt: number, sentRunQueueMs: number, times: ThreadTimes, stack = asleep) =>
    sampleAt(takenAt, stack, { requestedAt: sentAt, sentAt, sentRunQueueMs, threadTimes: times });

  test('does not count when the answer to a question shows that the thread slept meanwhile', () => {
    const samples = [answered(1075, 1295, 190, { cpuMs: 208, runQueueMs: 194 })];
    // 75 ms before the question, and what was measured from there on.
    expect(blockOf(samples, 10, 184)).toMatchObject({
      times: { cpuMs: 10, runQueueMs: 79 },
      attribution: { cause: 'waiting' },
    });
  });

  test('does not count when the samples show that the thread slept between them', () => {
    const samples = [
      answered(1075, 1075, 190, { cpuMs: 205, runQueueMs: 190 }),
      answered(1290, 1290, 193, { cpuMs: 207, runQueueMs: 193 }),
    ];
    expect(blockOf(samples, 10, 183)).toMatchObject({ times: { runQueueMs: 78 }, attribution: { cause: 'waiting' } });
  });

  test('does not count when the thread slept after it had computed', () => {
    const samples = [answered(1075, 1295, 130, { cpuMs: 275, runQueueMs: 133 })];
    expect(blockOf(samples, 78, 124)).toMatchObject({
      times: { cpuMs: 78, runQueueMs: 79 },
      attribution: { cause: 'waiting' },
    });
  });

  test('makes no difference to a block that computes: all its time off the CPU is run-queue time', () => {
    const samples = [
      answered(1075, 1075, 190, { cpuMs: 225, runQueueMs: 190 }, [createSpans]),
      answered(1290, 1290, 310, { cpuMs: 318, runQueueMs: 310 }, [createSpans]),
    ];
    expect(blockOf(samples, 120, 300)).toMatchObject({
      times: { cpuMs: 120, runQueueMs: 180 },
      attribution: { cause: 'javascript' },
    });
  });

  // A quota stops the whole process in the first part of the block; the thread computes in the rest.
  test.each([
    ['at once', 1122],
    ['after a native call', 1190],
  ])('makes no difference to a block that waits before the first question, and answers %s', (_, takenAt) => {
    const times = { cpuMs: 210 + (takenAt - 1120), runQueueMs: 120 };
    const first = answered(1120, takenAt, 120, times, [createSpans]);
    const last = answered(1195, 1195, 120, { cpuMs: 285, runQueueMs: 120 }, [createSpans]);
    const throttled = busyPeriod({
      end: 1200,
      samples: [first, last],
      before: reading(1000, 50, 200, 10),
      after: reading(1200, 50, 290, 120),
    });
    expect(judge(throttled, judgeContext()).block).toMatchObject({
      times: { cpuMs: 90, runQueueMs: 110 },
      attribution: { cause: 'cpu_starved' },
    });
  });

  // The thread waits for a CPU from 1010 on, and then until 1298 for another thread of its process, in a lock of V8's.
  test.each<[string, Frame[]]>([
    ['no JavaScript', []],
    ['a function that was called after the sleep', [entryFrame('render'), nodeFrame('processTimers')]],
  ])('counts up to the first question where the sample of a thread that slept at the end shows %s', (_, stack) => {
    const waitedUntil = (sentAt: number) => {
      const waitedMs = sentAt - 1010;
      const times = { cpuMs: 208, runQueueMs: 10 + waitedMs };
      return blockOf([answered(sentAt, 1298, 10 + waitedMs, times, stack)], 10, waitedMs);
    };
    expect(waitedUntil(1150)).toMatchObject({
      times: { cpuMs: 10, runQueueMs: 140 },
      attribution: { cause: 'unknown' },
    });
    expect(waitedUntil(1250)).toMatchObject({
      times: { cpuMs: 10, runQueueMs: 240 },
      attribution: { cause: 'cpu_starved' },
    });
  });

  test('counts where the samples measure too little', () => {
    const samples = [answered(1294, 1295, 190, { cpuMs: 208, runQueueMs: 190 })];
    expect(blockOf(samples, 10, 250)?.times.runQueueMs).toBe(250);
  });
});

describe('the times of a block', () => {
  function times(overrides: Partial<BusyPeriod>) {
    return judge(
      busyPeriod(overrides),
      judgeContext({ isSampled: false, gc: { observedSince: 900, pauses: [{ start: 1010, end: 1017 }] } }),
    ).block?.times;
  }

  test('are the differences of the readings around it', () => {
    expect(times({})).toEqual({ cpuMs: 290, runQueueMs: 2, gcMs: 7 });
  });

  test('are never longer than the block', () => {
    expect(times({ after: reading(1300, 50, 5000, 5000) })).toEqual({ cpuMs: 300, runQueueMs: 0, gcMs: 7 });
  });

  test('are never negative', () => {
    expect(times({ after: reading(1300, 50, 100, 1) })).toEqual({ cpuMs: 0, runQueueMs: 0, gcMs: 7 });
  });

  test('do not contain work before the block', () => {
    // Of the 100 ms between the reading and the block 60 are idle: 40 ms of CPU time do not belong to the block.
    const before = reading(900, 0, 100, 0);
    const after = reading(1300, 60, 100 + 40 + 290, 0);
    expect(times({ before, after })).toMatchObject({ cpuMs: 290 });
  });

  test('are at least what was measured since the first answer: before the block, the thread may have slept in a call', () => {
    // It neither ran nor waited for a CPU in the 200 ms between the reading and the block, and no idle time is known.
    const before = reading(800, 50, 100, 0);
    const after = reading(1300, 50, 100 + 170, 120);
    const samples = [sampleAt(1050, [createSpans], { threadTimes: { cpuMs: 120, runQueueMs: 20 } })];
    expect(times({ before, after })).toMatchObject({ cpuMs: expect.closeTo(53, 0), runQueueMs: expect.closeTo(37, 0) });
    expect(times({ before, after, samples })).toMatchObject({ cpuMs: 150, runQueueMs: 100 });
    // What was read after its end may not be of it.
    expect(times({ before, samples, after: { ...after, at: 1310 } })).toMatchObject({ cpuMs: 140, runQueueMs: 90 });
  });

  test('do not contain work after the block', () => {
    const after = reading(1350, 50, 200 + 290 + 50, 10);
    expect(times({ after })).toMatchObject({ cpuMs: 290 });
  });

  test('contain all work since the reading, where the process was suspended until the block', () => {
    const suspensions = [{ start: -8990, end: 999 }];
    const before = reading(-9000, 0, 100, 0);
    const found = judge(
      busyPeriod({ before, after: reading(1300, 0, 100 + 290, 0) }),
      judgeContext({ excluded: suspensions, standstills: suspensions }),
    ).block?.times;
    expect(found?.cpuMs).toBeCloseTo(280, -1);
  });

  test('contain all work since the reading, where libuv has forgotten that the loop was idle until the block', () => {
    const before = reading(500, 0, 100, 0);
    expect(times({ before, lostIdleMs: 490, after: reading(1300, 0, 100 + 290, 0) })?.cpuMs).toBeCloseTo(280, 6);
  });

  test('divide the work outside the block in the ratio of the whole: a starved thread is starved there, too', () => {
    const found = times({ before: reading(900, 0, 0, 0), after: reading(1300, 0, 100, 300) })!;
    expect(found.cpuMs).toBeCloseTo(75, 6);
    expect(found.runQueueMs).toBeCloseTo(225, 6);
  });

  test('have no run-queue time where the system reports none', () => {
    expect(times({ before: reading(1000, 50, 200), after: reading(1300, 50, 490) })).toEqual({
      cpuMs: 290,
      runQueueMs: undefined,
      gcMs: 7,
    });
  });

  test.each([
    ['before', { before: reading(1000, 50) }],
    ['after', { after: reading(1300, 50) }],
  ])('are unknown without a reading %s', (_, overrides) => {
    expect(times(overrides)).toEqual({ cpuMs: undefined, runQueueMs: undefined, gcMs: 7 });
  });

  test('add up to no more than the block, whatever the readings', () => {
    const ms = fc.double({ min: 0, max: 10_000, noNaN: true });
    fc.assert(
      fc.property(ms, ms, ms, ms, (cpuBefore, cpuMore, queueBefore, queueMore) => {
        const found = times({
          before: reading(990, 40, cpuBefore, queueBefore),
          after: reading(1310, 50, cpuBefore + cpuMore, queueBefore + queueMore),
        })!;
        expect(found.cpuMs).toBeGreaterThanOrEqual(0);
        expect(found.runQueueMs).toBeGreaterThanOrEqual(0);
        expect(found.cpuMs! + found.runQueueMs!).toBeLessThanOrEqual(300 + 1e-6);
      }),
    );
  });
});

describe('a thread that was off the CPU, and not in the run queue, for most of a busy period', () => {
  const off = { after: reading(1300, 50, 205, 70) };
  const internal = [sampleAt(1290, [nodeFrame('listOnTimeout')])];
  const isBlock = (overrides: Partial<BusyPeriod>, isSampled = true): boolean =>
    judge(busyPeriod({ ...off, ...overrides }), judgeContext({ isSampled })).block !== undefined;

  test('made no block where the watchdog neither asked it nor saw it asleep', () => {
    expect(isBlock({})).toBe(false);
    expect(isBlock({ looks: { runnable: 1, asleep: 0, inLock: 0 } })).toBe(false);
    expect(isBlock({ looks: { runnable: 2, asleep: 2, inLock: 0 }, samples: [sampleAt(1290, [])] })).toBe(false);
  });

  test('made no block where only code of Node.js is on the stack, and the watchdog did not see it asleep', () => {
    expect(isBlock({ looks: { runnable: 0, asleep: 2, inLock: 0 }, samples: internal })).toBe(false);
  });

  test('made a block where the watchdog saw it asleep', () => {
    expect(isBlock({ looks: { runnable: 0, asleep: 12, inLock: 0 }, samples: internal })).toBe(true);
    expect(isBlock({ looks: { runnable: 0, asleep: 12, inLock: 0 }, samples: [sampleAt(1290, [])] })).toBe(true);
  });

  test('made a block where the application is on the stack', () => {
    const samples = [sampleAt(1290, [nodeFrame('readSync'), createSpans])];
    expect(isBlock({ looks: { runnable: 0, asleep: 1, inLock: 0 }, samples })).toBe(true);
  });

  test('made a block of unknown cause, by no function, where it slept in a lock and nothing shows who', () => {
    const looks = { runnable: 1, asleep: 12, inLock: 11 };
    const unknown = { cause: 'unknown', quality: 'none', culprit: undefined, stack: [], profile: '' };
    const attributionOf = (stack: Frame[], seen: BusyPeriod['looks'] = looks) =>
      judge(busyPeriod({ ...off, looks: seen, samples: [sampleAt(1290, stack)] }), judgeContext()).block?.attribution;
    expect(attributionOf([])).toMatchObject(unknown);
    expect(attributionOf([nodeFrame('processTimers')])).toMatchObject(unknown);
    const unseen = judge(busyPeriod({ ...off, samples: [sampleAt(1290, [])] }), judgeContext()).block;
    expect(unseen?.attribution).toMatchObject(unknown);
    expect(attributionOf([builtinFrame('Atomics.wait'), createSpans])).toMatchObject({ cause: 'waiting' });
    expect(attributionOf([nodeFrame('readSync')], { ...looks, inLock: 2 })).toMatchObject({ cause: 'waiting' });
  });

  test('made a block where no watchdog runs', () => {
    expect(isBlock({}, false)).toBe(true);
  });

  test('made a block where the kernel does not show whether it sleeps', () => {
    expect(isBlock({ looks: { runnable: 0, asleep: 0, inLock: 0 }, samples: internal })).toBe(true);
  });
});
