import { describe, expect, test } from '@jest/globals';
import { judge, provisionalBlock } from '../../../src/blocks/judge.js';
import { busyPeriod, frame, judgeContext, nodeFrame, reading, sampleAt } from '../support/builders.js';

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
