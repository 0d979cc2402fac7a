import { describe, expect, test } from '@jest/globals';
import type { BusyPeriod } from '../../../src/blocks/busy-period.js';
import { judge, provisionalBlock } from '../../../src/blocks/judge.js';
import type { Block, Frame, Sample } from '../../../src/contract/model.js';
import { busyPeriod, frame, judgeContext, nodeFrame, reading, sampleAt, telemetryFrame } from '../support/builders.js';

const createSpans = frame('createSpans');

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

  test("does not count where Yarn's Plug'n'Play reads the packages of the SDK", () => {
    const reading = [frame('getMountSync', { fileName: '/srv/app/.pnp.cjs' }), telemetryFrame('load')];
    const samples = samplesIn(1050, 1300, reading);
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
