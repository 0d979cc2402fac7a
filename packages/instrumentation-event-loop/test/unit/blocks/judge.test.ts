import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BusyPeriod } from '../../../src/blocks/busy-period.js';
import { judge, provisionalBlock } from '../../../src/blocks/judge.js';
import type { Block, Frame, Sample, ThreadTimes } from '../../../src/contract/model.js';
import {
  builtinFrame,
  busyPeriod,
  entryFrame,
  frame,
  judgeContext,
  nodeFrame,
  reading,
  sampleAt,
  telemetryFrame,
} from '../support/builders.js';

const createSpans = frame('createSpans');
const evaluation = nodeFrame('run', { fileName: 'node:internal/modules/run_main' });

describe('a busy period is a block', () => {
  test('from the threshold on', () => {
    expect(judge(busyPeriod({ end: 1100 }), judgeContext()).block).toMatchObject({
      start: 1000,
      end: 1100,
      durationMs: 100,
    });
    expect(judge(busyPeriod({ end: 1099.9 }), judgeContext()).block).toBeUndefined();
  });

  test('with its thread and its hang', () => {
    const hang = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) };
    expect(judge(busyPeriod({ hang }), judgeContext({ threadId: 4, threadName: 'pool' })).block).toMatchObject({
      threadId: 4,
      threadName: 'pool',
      hang,
    });
  });

  test('also without any sample or reading', () => {
    expect(judge(busyPeriod({ before: undefined }), judgeContext()).block).toMatchObject({
      times: { cpuMs: undefined, runQueueMs: undefined, gcMs: undefined },
      attribution: { cause: 'unknown', quality: 'none' },
    });
  });
});

describe('time in which the process is suspended', () => {
  test('does not count', () => {
    const { block } = judge(busyPeriod({ end: 31_000 }), judgeContext({ excluded: [{ start: 1100, end: 30_900 }] }));
    expect(block?.durationMs).toBeCloseTo(200, 6);
  });

  test('makes no block of a busy period that is short without it', () => {
    expect(
      judge(busyPeriod({ end: 31_000 }), judgeContext({ excluded: [{ start: 1000, end: 30_950 }] })).block,
    ).toBeUndefined();
  });

  test('at the start of the busy period is no part of the block', () => {
    const excluded = [{ start: 1001, end: 1600 }];
    expect(judge(busyPeriod({ end: 2000 }), judgeContext({ excluded })).block).toMatchObject({
      start: 1600,
      end: 2000,
      durationMs: 400,
    });
  });

  test('at the end, an answer that comes right after it shows what ran before it', () => {
    const answer = sampleAt(1503, [createSpans], { requestedAt: 1300 });
    const { block } = judge(
      busyPeriod({ end: 1505, samples: [answer] }),
      judgeContext({ excluded: [{ start: 1400, end: 1502 }] }),
    );
    expect(block).toMatchObject({ end: 1400, durationMs: 400, attribution: { sampleCount: 1, culprit: createSpans } });
  });

  test('between two parts of the busy period leaves one block', () => {
    const excluded = [{ start: 1200, end: 1600 }];
    const period = busyPeriod({ end: 2000, after: reading(2000, 50, 780, 12) });
    expect(judge(period, judgeContext({ excluded })).block).toMatchObject({
      start: 1000,
      end: 2000,
    });
  });

  test.each([
    ['between two samples', [{ start: 1200, end: 1600 }], 600],
    ['at the start', [{ start: 1001, end: 1600 }], 400],
  ])('%s is in no line of the profile, which adds up to the duration', (_, excluded, durationMs) => {
    const samples = [1050, 1150, 1650, 1900].map((at) => sampleAt(at, [frame('createSpans')]));
    const { block } = judge(busyPeriod({ end: 2000, samples }), judgeContext({ excluded }));
    expect(block).toMatchObject({ durationMs, attribution: { profile: `createSpans ${durationMs}` } });
    expect(block!.end - block!.start - (block!.start === 1000 ? 400 : 0)).toBe(durationMs);
  });

  test('before and after the busy period is not subtracted', () => {
    const suspensions = [
      { start: 0, end: 900 },
      { start: 1400, end: 9000 },
    ];
    expect(judge(busyPeriod(), judgeContext({ excluded: suspensions })).block?.durationMs).toBe(300);
  });
});

describe('time at a breakpoint', () => {
  const working = frame('createSpans', { lineNumber: 8 });
  const pausedSamples = [
    sampleAt(1050, [working], { inspected: true, threadTimes: { cpuMs: 250, runQueueMs: 10 } }),
    sampleAt(1060, [createSpans], { inspected: true, threadTimes: { cpuMs: 260, runQueueMs: 10 } }),
    sampleAt(9000, [createSpans], { inspected: true, threadTimes: { cpuMs: 261, runQueueMs: 10 } }),
  ];

  test('that takes most of a busy period makes it no block, and is returned so that lag can leave it out as well', () => {
    const { block, paused } = judge(busyPeriod({ end: 9060, samples: pausedSamples }), judgeContext());
    expect(paused).toEqual([{ start: 1060, end: 9000 }]);
    expect(block).toBeUndefined();
  });

  test('is no part of a block that lasts longer than it', () => {
    const samples = [
      sampleAt(1050, [working], { inspected: true, threadTimes: { cpuMs: 250, runQueueMs: 10 } }),
      sampleAt(1200, [createSpans], { inspected: true, threadTimes: { cpuMs: 260, runQueueMs: 10 } }),
    ];
    const { block, paused } = judge(busyPeriod({ end: 1400, samples }), judgeContext());
    expect(paused).toEqual([{ start: 1050, end: 1200 }]);
    expect(block).toMatchObject({ start: 1000, end: 1400, durationMs: 250 });
    expect(block?.attribution.profile).toBe('createSpans 250');
  });

  test('makes no block of a busy period that is short without it', () => {
    const judgement = judge(busyPeriod({ end: 9010, samples: pausedSamples }), judgeContext());
    expect(judgement).toEqual({ paused: [{ start: 1060, end: 9000 }] });
  });
});

describe('start-up', () => {
  test('is no block when there are no samples', () => {
    expect(judge(busyPeriod({ startUp: 'likely' }), judgeContext()).block).toBeUndefined();
  });

  test('is no block when the samples show the evaluation of modules', () => {
    const samples = [sampleAt(1100, [createSpans, evaluation]), sampleAt(1200, [createSpans, evaluation])];
    expect(judge(busyPeriod({ startUp: 'likely', samples }), judgeContext()).block).toBeUndefined();
  });

  test('does not hide a request that blocks meanwhile', () => {
    const samples = [sampleAt(1100, [createSpans]), sampleAt(1200, [createSpans])];
    expect(judge(busyPeriod({ startUp: 'likely', samples }), judgeContext()).block).toBeDefined();
  });

  test('is a block where it is counted', () => {
    const samples = [sampleAt(1100, [createSpans, evaluation])];
    const context = judgeContext({ countsStartUp: true });
    expect(judge(busyPeriod({ startUp: 'likely', samples }), context).block).toBeDefined();
    expect(judge(busyPeriod({ startUp: 'likely' }), context).block).toBeDefined();
  });

  test('is over once the application has started: a late require is a block', () => {
    const samples = [sampleAt(1100, [createSpans, evaluation])];
    expect(judge(busyPeriod({ samples }), judgeContext()).block).toBeDefined();
  });
});

describe('a busy period without samples in which the thread neither ran nor waited for a CPU', () => {
  const stopped = busyPeriod({ after: reading(1300, 50, 202, 12) });

  test('is no block when a watchdog would have sampled it: the process was suspended', () => {
    expect(judge(stopped, judgeContext()).block).toBeUndefined();
  });

  test('is a block when there is no watchdog: it may be a sleep', () => {
    expect(judge(stopped, judgeContext({ isSampled: false })).block?.attribution.cause).toBe('waiting');
  });

  test('is no block without a watchdog when a signal may have interrupted the poll', () => {
    const idle = { ...stopped, mayHaveLostIdle: true };
    expect(judge(idle, judgeContext({ isSampled: false })).block).toBeUndefined();
  });

  test('is a block when the run-queue time is unknown', () => {
    const unknown = busyPeriod({ before: reading(1000, 50, 200), after: reading(1300, 50, 202) });
    expect(judge(unknown, judgeContext()).block).toBeDefined();
  });

  test('is a block when the thread waited for a CPU', () => {
    const starved = busyPeriod({ after: reading(1300, 50, 202, 300) });
    expect(judge(starved, judgeContext()).block?.attribution.cause).toBe('cpu_starved');
  });
});

describe('a block that other processes have stretched', () => {
  const samples = [sampleAt(1100, [createSpans]), sampleAt(1200, [createSpans])];
  const stretched = (cpuMs: number) => busyPeriod({ samples, after: reading(1300, 50, 200 + cpuMs, 310 - cpuMs) });

  test('has the cause of its code when it would have been a block without them', () => {
    expect(judge(stretched(100), judgeContext()).block).toMatchObject({
      times: { cpuMs: 100, runQueueMs: 200 },
      attribution: { cause: 'javascript', culprit: createSpans },
    });
    expect(judge(stretched(90), judgeContext()).block?.attribution.cause).toBe('cpu_starved');
  });

  test('is judged by the smallest threshold of the thread', () => {
    expect(judge(stretched(90), judgeContext({ thresholdMs: 50 })).block?.attribution.cause).toBe('javascript');
  });

  test('has the same cause while it lasts', () => {
    expect(provisionalBlock(stretched(100), judgeContext())?.attribution.cause).toBe('javascript');
    expect(provisionalBlock(stretched(90), judgeContext())?.attribution.cause).toBe('cpu_starved');
  });
});

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

describe('code that runs in an interval that is not counted', () => {
  const loadSdk = frame('loadSdk');

  test('is not the culprit of the block around it', () => {
    const samples = [1010, 1020, 1030, 1040].map((at) => sampleAt(at, [loadSdk])).concat(sampleAt(1150, [createSpans]));
    const { block } = judge(
      busyPeriod({ samples, end: 1400 }),
      judgeContext({ excluded: [{ start: 1000, end: 1100 }] }),
    );
    expect(block?.attribution).toMatchObject({ culprit: createSpans, sampleCount: 1 });
  });
});

describe('a block that the watchdog has seen only at its end', () => {
  const late = sampleAt(1700, [createSpans]);

  test('names what ran at the end as a guess: it need not be what blocked', () => {
    const { block } = judge(busyPeriod({ end: 1800, samples: [late] }), judgeContext());
    expect(block?.attribution).toMatchObject({ quality: 'post_native', culprit: createSpans });
  });

  test('has no stack when that sample shows none', () => {
    const { block } = judge(busyPeriod({ end: 1800, samples: [sampleAt(1700, [])] }), judgeContext());
    expect(block?.attribution).toMatchObject({ quality: 'none', culprit: undefined, stack: [] });
  });

  test('names its code when the samples stand for half of it', () => {
    const samples = [late, sampleAt(1900, [createSpans]), sampleAt(2200, [createSpans])];
    const { block } = judge(busyPeriod({ end: 2500, samples }), judgeContext());
    expect(block?.attribution).toMatchObject({ quality: 'live', culprit: createSpans });
  });

  test('names its code when the watchdog had asked, and a native call delayed the answer', () => {
    const answered = { ...late, requestedAt: 1080 };
    const { block } = judge(busyPeriod({ end: 1800, samples: [answered] }), judgeContext());
    expect(block?.attribution.culprit).toEqual(createSpans);
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

describe('a provisional block', () => {
  test('has the culprit and the length so far, also below the threshold', () => {
    const of = busyPeriod({ end: 1050, samples: [sampleAt(1020, [createSpans])] });
    expect(provisionalBlock(of, judgeContext())).toMatchObject({
      durationMs: 50,
      attribution: { culprit: createSpans },
    });
  });
});

test('a period that has just begun is no block: the watchdog has asked about the one before', () => {
  const of = busyPeriod({ end: 1040, samples: [sampleAt(1030, [createSpans])] });
  expect(provisionalBlock(of, judgeContext())).toBeUndefined();
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

describe('work of this package', () => {
  const ownWork = [{ start: 1010, end: 1290 }];
  /** The run-queue and CPU time of a busy period of 300 ms. */
  const waited = (runQueueMs: number): BusyPeriod =>
    busyPeriod({ before: reading(1000, 50, 200, 0), after: reading(1300, 50, 500 - runQueueMs, runQueueMs) });

  test.each([290, 50])('is no block, also where it waited for a CPU for %d ms of it', (runQueueMs) => {
    expect(judge(waited(runQueueMs), judgeContext({ ownWork })).block).toBeUndefined();
  });

  test('is no part of a block: an iteration of 80 ms is none, whenever it falls into it', () => {
    for (const start of [1000, 1003, 1040, 1078, 1080]) {
      const period = busyPeriod({ end: 1106, after: reading(1106, 50, 306, 0) });
      expect([start, judge(period, judgeContext({ ownWork: [{ start, end: start + 26 }] })).block]).toEqual([
        start,
        undefined,
      ]);
    }
  });

  test('at the start or the end moves that of the block', () => {
    const blockWith = (start: number, end: number) =>
      judge(busyPeriod(), judgeContext({ ownWork: [{ start, end }] })).block;
    expect(blockWith(1002, 1030)).toMatchObject({ start: 1030, end: 1300, durationMs: 270 });
    expect(blockWith(1270, 1298)).toMatchObject({ start: 1000, end: 1270, durationMs: 270 });
    expect(blockWith(1100, 1130)).toMatchObject({ start: 1000, end: 1300, durationMs: 270 });
  });

  test('while the process is suspended is left out once', () => {
    const excluded = [{ start: 1100, end: 1200 }];
    const { block } = judge(busyPeriod(), judgeContext({ excluded, ownWork: [{ start: 1150, end: 1180 }] }));
    expect(block?.durationMs).toBe(200);
  });

  test('that calls a slow hook of the application is a block of that hook', () => {
    const stack = [frame('sendToSlack'), frame('report', { fileName: 'loopwatch:deferred' })];
    const samples = [1060, 1150, 1250].map((at) => sampleAt(at, stack));
    const { block } = judge(busyPeriod({ samples }), judgeContext({ ownWork: [{ start: 1000, end: 1300 }] }));
    expect(block?.attribution.culprit?.functionName).toBe('sendToSlack');
  });

  describe('that the samples show', () => {
    const used = (cpuMs: number, askedAt = 1290): BusyPeriod =>
      busyPeriod({
        samples: [sampleAt(askedAt, [frame('report', { fileName: 'loopwatch:deferred' })])],
        after: reading(1300, 50, 200 + cpuMs, 110),
        looks: { runnable: 9, asleep: 3, inLock: 0 },
      });

    test('is no block where it was on the CPU for less than the threshold', () => {
      expect(judge(used(20), judgeContext()).block).toBeUndefined();
    });

    test('is a block where it computed for longer', () => {
      const { block } = judge(used(150, 1080), judgeContext());
      expect(block?.attribution.culprit?.functionName).toBe("Loopwatch's own work");
    });

    test('does not take the block of what ran before it, where it began after the question', () => {
      const heartbeat = [frame('beat', { fileName: 'loopwatch:deferred' }), nodeFrame('listOnTimeout')];
      const answered = (passedCheckpoint: boolean) => {
        const samples = [sampleAt(1080, heartbeat, { passedCheckpoint })];
        const period = busyPeriod({ samples, after: reading(1300, 50, 350, 110) });
        return judge(period, judgeContext()).block?.attribution.culprit?.functionName;
      };
      expect(answered(true)).toBeUndefined();
      expect(answered(false)).toBe("Loopwatch's own work");
    });

    test('does not take the block of what ran before it, where the first question came at the end', () => {
      expect(judge(used(150), judgeContext()).block?.attribution).toMatchObject({
        cause: 'unknown',
        culprit: undefined,
        quality: 'none',
      });
    });
  });

  test('hides no block of the application beside it', () => {
    expect(judge(waited(290), judgeContext({ ownWork: [{ start: 1000, end: 1150 }] })).block).toBeDefined();
  });

  test('is no block where the wait for a CPU is not known', () => {
    expect(judge(busyPeriod({ before: undefined }), judgeContext({ ownWork })).block).toBeUndefined();
  });
});

describe('time in which the SDK is loaded', () => {
  const sdkStart = { start: 900, end: Infinity };
  const load = { start: 900, end: 2000 };
  const samplesIn = (from: number, to: number, frames: readonly Frame[]): Sample[] =>
    [from, (from + to) / 2, to - 1].map((at) => sampleAt(at, frames));

  test('does not count', () => {
    const samples = samplesIn(1050, 1300, [telemetryFrame('load')]);
    expect(judge(busyPeriod({ samples }), judgeContext({ sdkStart, excluded: [load] })).block).toBeUndefined();
  });

  test('counts where the application runs meanwhile', () => {
    const samples = samplesIn(1050, 1300, [frame('serveRequest')]);
    const { block } = judge(busyPeriod({ samples }), judgeContext({ sdkStart, excluded: [load] }));
    expect(block).toMatchObject({ start: 1000, end: 1300, durationMs: 300 });
    expect(block?.attribution.culprit?.functionName).toBe('serveRequest');
  });

  test('is no block while it lasts, unless the application runs meanwhile', () => {
    const provisionalWith = (name: Frame): Block | undefined =>
      provisionalBlock(
        busyPeriod({ samples: samplesIn(1050, 1300, [name]) }),
        judgeContext({ sdkStart, excluded: [load] }),
      );
    expect(provisionalWith(telemetryFrame('load'))).toBeUndefined();
    expect(provisionalWith(frame('serveRequest'))?.attribution.culprit?.functionName).toBe('serveRequest');
  });

  test.each([[[]], [[{ start: 900, end: 1010 }]]])(
    'is no block where its latest step is not over: after %j',
    (excluded) => {
      const samples = samplesIn(1050, 1300, [telemetryFrame('load')]);
      const context = judgeContext({ sdkStart, excluded });
      expect(provisionalBlock(busyPeriod({ samples }), context)).toBeUndefined();
      expect(
        provisionalBlock(busyPeriod({ samples }), { ...context, sdkStart: { start: 900, end: 1010 } }),
      ).toBeDefined();
    },
  );

  test('is no part of the block before it in the same iteration', () => {
    const samples = [
      ...samplesIn(1050, 1300, [frame('serveRequest')]),
      ...samplesIn(1301, 1900, [telemetryFrame('load')]),
    ];
    const period = busyPeriod({ end: 1900, samples, after: reading(1900, 50, 1080, 12) });
    const { block } = judge(period, judgeContext({ sdkStart, excluded: [load] }));
    expect(block?.end).toBeCloseTo(1300, 0);
    expect(block?.durationMs).toBeCloseTo(300, 0);
  });

  test('is not mistaken for a suspension, in which no application code runs', () => {
    const samples = samplesIn(1050, 1300, [frame('serveRequest')]);
    const suspension = { start: 950, end: 1290 };
    const { block } = judge(busyPeriod({ samples }), judgeContext({ sdkStart, excluded: [suspension] }));
    expect(block).toBeUndefined();
  });
});
