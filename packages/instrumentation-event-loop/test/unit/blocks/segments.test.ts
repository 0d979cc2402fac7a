import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { segmentsOf } from '../../../src/blocks/segments.js';
import { visibleIn } from '../../../src/blocks/visible.js';
import type { Frame, Sample, ThreadTimes } from '../../../src/contract/model.js';
import { builtinFrame, frame, nodeFrame, sample } from '../support/builders.js';

const block = { start: 1000, end: 2000 };

function at(requestedAt: number, takenAt = requestedAt, overrides: Partial<Sample> = {}): Sample {
  return sample([frame('work')], { requestedAt, takenAt, ...overrides });
}

function weights(samples: readonly Sample[], of = block): number[] {
  return segmentsOf(samples, of).map(({ ms }) => ms);
}

describe('the time that samples stand for', () => {
  test('is nothing without samples', () => {
    expect(segmentsOf([], block)).toEqual([]);
  });

  test('is the whole block for a single sample', () => {
    expect(weights([at(1050)])).toEqual([1000]);
  });

  test('is half of the time to the sample before and half of the time to the next', () => {
    expect(weights([at(1100), at(1300), at(1700)])).toEqual([200, 300, 500]);
  });

  test('includes all the time between a request and its late answer', () => {
    // Requested at 1200, answered only when a native call had returned at 1900.
    expect(weights([at(1100), at(1200, 1900)])).toEqual([150, 850]);
  });

  test('includes that time also for a late answer in the middle', () => {
    expect(weights([at(1100), at(1200, 1700), at(1720)])).toEqual([150, 560, 290]);
  });

  test('does not shrink by a request that comes before the last answer', () => {
    expect(weights([at(1100, 1600), at(1500, 1610)])).toEqual([600, 400]);
  });
});

describe('for any samples in the order they were taken', () => {
  const series = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 700 })), {
      minLength: 1,
      maxLength: 60,
    })
    .map((steps) => {
      let now = block.start;
      const samples = steps.map(([waitMs, answerMs]) => {
        const requestedAt = now + waitMs;
        now = requestedAt + answerMs;
        return at(requestedAt, now);
      });
      return { samples, end: now + 5 };
    });

  test("the weights add up to the block's length", () => {
    fc.assert(
      fc.property(series, ({ samples, end }) => {
        const sum = weights(samples, { start: block.start, end }).reduce((a, b) => a + b, 0);
        expect(sum).toBeCloseTo(end - block.start, 6);
      }),
    );
  });

  test("the weights add up to the block's length without what is excluded from it", () => {
    fc.assert(
      fc.property(series, fc.nat({ max: 500 }), fc.nat({ max: 500 }), ({ samples, end }, after, length) => {
        const excluded = [{ start: block.start + after, end: Math.min(end, block.start + after + length) }];
        const isCounted = ({ takenAt }: Sample): boolean =>
          takenAt <= excluded[0]!.start || takenAt >= excluded[0]!.end;
        const counted = samples.filter(isCounted);
        fc.pre(counted.length > 0 && excluded[0]!.start < end);
        const weighted = segmentsOf(counted, { start: block.start, end }, [], excluded);
        const sum = weighted.reduce((total, { ms }) => total + ms, 0);
        expect(sum).toBeCloseTo(end - block.start - (excluded[0]!.end - excluded[0]!.start), 6);
      }),
    );
  });

  test('the segments follow each other without gaps from the start to the end, and no part is more than its whole', () => {
    fc.assert(
      fc.property(series, ({ samples, end }) => {
        const segments = segmentsOf(samples, { start: block.start, end });
        expect(segments.map(({ start }) => start)).toEqual([block.start, ...segments.slice(0, -1).map((of) => of.end)]);
        expect(segments.at(-1)?.end).toBe(end);
        for (const { computedMs, ranMs, asleepMs, ms } of segments) {
          expect([computedMs, ranMs, ms].toSorted((x, y) => x - y)).toEqual([computedMs, ranMs, ms]);
          expect([asleepMs, ms].toSorted((x, y) => x - y)).toEqual([asleepMs, ms]);
        }
      }),
    );
  });

  test('no weight is negative, and a late answer weighs at least the wait for it', () => {
    fc.assert(
      fc.property(series, ({ samples, end }) => {
        const weighted = segmentsOf(samples, { start: block.start, end });
        const isFair = weighted.every(
          ({ ms, sample: { requestedAt, takenAt } }) => ms >= 0 && ms >= takenAt - requestedAt - 1e-6,
        );
        expect(isFair).toBe(true);
      }),
    );
  });
});

describe('an answer', () => {
  const question = { requestedAt: 1095, sentAt: 1100 };

  test.each([
    ['of a running thread is in time', 0.4, 0, false],
    ['that takes a running thread longer is late', 0.6, 0, true],
    ['is in time when the thread waited for a CPU meanwhile', 100, 99.7, false],
    ['is late when the thread waited for a CPU for most of the time, and ran for the rest', 100, 75, true],
    ['within 12 ms is in time where the wait for a CPU is not known', 11.9, undefined, false],
    ['after more than 12 ms is late where the wait for a CPU is not known', 12.1, undefined, true],
  ])('%s', (_, answerMs, waitedMs, expected) => {
    const sentRunQueueMs = waitedMs === undefined ? undefined : 40;
    const threadTimes = { cpuMs: 10, runQueueMs: waitedMs === undefined ? undefined : 40 + waitedMs };
    const answered = sample([frame('work')], { ...question, sentRunQueueMs, takenAt: 1100 + answerMs, threadTimes });
    expect(segmentsOf([answered], block)[0]?.isLate).toBe(expected);
  });

  test.each([
    [
      'that waited for a CPU for most of the time before, as in a quota, is in time within 12 ms',
      false,
      100,
      11.9,
      false,
    ],
    ['that waited for a CPU for most of the time before, as in a quota, is late after more', false, 90, 12.1, true],
    ['that waited for a CPU for half of the time before is late as of any other', false, 50, 0.6, true],
    ['is in time within 12 ms when it is the first: V8 compiles before it', true, 0, 11.9, false],
    ['is late after more when it is the first', true, 0, 12.1, true],
    [
      'that waited for a CPU for most of the time before is in time within 12 ms when it is the first',
      true,
      100,
      11.9,
      false,
    ],
    [
      'that waited for a CPU for most of the time before is late after more when it is the first',
      true,
      100,
      12.1,
      true,
    ],
  ])('of a thread %s', (_, isFirst, waitedMs, answerMs, expected) => {
    const before = { at: 1000, idleTime: 0, times: { cpuMs: 500, runQueueMs: 40 } };
    const runQueueMs = 40 + waitedMs;
    const threadTimes = { cpuMs: 510, runQueueMs };
    const takenAt = 1100 + answerMs;
    const answered = sample([frame('work')], {
      ...question,
      sentRunQueueMs: runQueueMs,
      takenAt,
      threadTimes,
      isFirst,
    });
    expect(segmentsOf([answered], { ...block, before })[0]?.isLate).toBe(expected);
  });

  test('is in time when it came before the question was recorded as sent', () => {
    const answered = sample([frame('work')], { requestedAt: 1095, sentAt: undefined, takenAt: 1300 });
    expect(segmentsOf([answered], block)[0]?.isLate).toBe(false);
  });

  test('is in time when the thread collected garbage meanwhile', () => {
    const answered = sample([frame('work')], { ...question, takenAt: 1180 });
    expect(segmentsOf([answered], block, [{ start: 1090, end: 1179 }])[0]?.isLate).toBe(false);
    expect(segmentsOf([answered], block, [{ start: 1000, end: 1150 }])[0]?.isLate).toBe(true);
  });

  test.each([
    ['and ran for as long beside it is in time', 0.9, 1.8, false],
    ['and ran for longer beside it is late', 0.9, 1.9, true],
    ['for longer than a slow answer takes is late after more than that', 30, 42.1, true],
  ])('after a collection of a thread that makes much garbage, %s', (_, gcMs, answerMs, expected) => {
    const takenAt = 1100 + answerMs;
    const answered = sample([frame('work')], {
      ...question,
      sentRunQueueMs: 40,
      takenAt,
      threadTimes: { cpuMs: 10, runQueueMs: 40 },
    });
    const collections = [{ start: takenAt - gcMs, end: takenAt }];
    expect(segmentsOf([answered], block, collections)[0]?.isLate).toBe(expected);
  });

  test.each([
    ['is late after a native call in which the thread also collected, on a busy host', 800, 500, 400],
    ['is late after a native call in which the thread collected for most of the time', 2000, 1800, 1300],
  ])('%s', (_, answerMs, waitedMs, gcMs) => {
    const threadTimes = { cpuMs: 10, runQueueMs: 40 + waitedMs };
    const takenAt = 1100 + answerMs;
    const answered = sample([frame('work')], { ...question, sentRunQueueMs: 40, takenAt, threadTimes });
    const collections = [{ start: 1100, end: 1100 + gcMs }];
    expect(segmentsOf([answered], { start: 1000, end: 4000 }, collections)[0]?.isLate).toBe(true);
  });
});

describe('a sample of the work of this package', () => {
  const own = [frame('judge', { isOwn: true })];
  const work = [frame('work')];
  const weightsOf = (...stacks: readonly (readonly Frame[])[]): number[] =>
    weights(stacks.map((frames, i) => sample(frames, { requestedAt: 1200 + 200 * i, takenAt: 1200 + 200 * i })));

  test('takes no time from the code that ran before and after it', () => {
    expect(weightsOf(work, own, work, work)).toEqual([400, 0, 300, 300]);
  });

  test('takes the time between two of them', () => {
    expect(weightsOf(work, own, own, work)).toEqual([400, 100, 100, 400]);
  });

  test('is none while code of the application runs that the package has called', () => {
    expect(weightsOf(work, [...work, ...own], work, work)).toEqual([300, 200, 200, 300]);
  });
});

test('a late answer stands for the wait for it, too', () => {
  const [late] = segmentsOf([at(1080, 1200), at(1210)], { start: 1000, end: 1300 });
  expect(late?.ranMs).toBe(205);
});

describe('the computed time of a sample', () => {
  const computed = (of: Parameters<typeof segmentsOf>[1], ...cpuMs: (number | undefined)[]): number[] =>
    segmentsOf(
      cpuMs.map((ms, i) => {
        const threadTimes = ms === undefined ? undefined : { cpuMs: ms, runQueueMs: 0 };
        return at(1100 + 100 * i, 1100 + 100 * i, { threadTimes });
      }),
      of,
    ).map(({ computedMs }) => computedMs);
  const evenly = { start: 1050, end: 1350 };

  test('is its time from the first question on where the thread was on a CPU', () => {
    expect(computed(evenly, 500, 600, 700)).toEqual([50, 100, 100]);
  });

  test('is no time in which the thread was neither on a CPU nor waited for one, as for a helper of V8', () => {
    expect(computed(evenly, 500, 506, 606)).toEqual([50, 6, 100]);
  });

  test('is no time before the first question: what ran then is a guess', () => {
    const asked = at(1060, 1100, { threadTimes: { cpuMs: 500, runQueueMs: 0 } });
    const [first] = segmentsOf([asked, at(1200, 1200, { threadTimes: { cpuMs: 600, runQueueMs: 0 } })], block);
    expect(first).toMatchObject({ ranMs: 150, computedMs: 90 });
  });

  test('of the first sample is at most the time on a CPU since the reading before the block', () => {
    const before = { at: 1040, idleTime: 0, times: { cpuMs: 480, runQueueMs: 0 } };
    expect(computed({ ...evenly, before }, 500, 600, 700)).toEqual([20, 100, 100]);
  });

  test('is its time where the time on a CPU is unknown', () => {
    expect(computed(evenly, undefined, undefined, 700)).toEqual([50, 100, 100]);
  });
});

describe('the waits of a thread for a CPU', () => {
  /** What ran until a sample and then until its answer, and how long the thread waited for a CPU meanwhile, ms. */
  interface Step {
    readonly name: string;
    readonly ranMs: number;
    readonly waitedMs: number;
    readonly answerRanMs: number;
    readonly answerWaitedMs: number;
  }

  /** The time of each step where all waits are so many times as long. */
  function timesOf(steps: readonly Step[], scale: number): number[] {
    let at = 1000;
    let runQueueMs = 70;
    const run = (ranMs: number, waitedMs: number): { at: number; idleTime: number; times: ThreadTimes } => {
      at += ranMs + waitedMs * scale;
      runQueueMs += waitedMs * scale;
      return { at, idleTime: 0, times: { cpuMs: 0, runQueueMs } };
    };
    const before = run(0, 0);
    const samples = steps.map((step) => {
      const { at: requestedAt, times: sent } = run(step.ranMs, step.waitedMs);
      const { at: takenAt, times: threadTimes } = run(step.answerRanMs, step.answerWaitedMs);
      return sample([frame(step.name)], { requestedAt, sentRunQueueMs: sent.runQueueMs, takenAt, threadTimes });
    });
    const after = run(5, 5);
    return segmentsOf(samples, { start: before.at, end: after.at, before, after }).map(({ ranMs }) => ranMs);
  }

  function longest(steps: readonly Step[], scale: number): string | undefined {
    const ran = timesOf(steps, scale);
    const times = new Map<string, number>();
    steps.forEach(({ name }, i) => times.set(name, (times.get(name) ?? 0) + ran[i]!));
    return [...times].sort(([, a], [, b]) => b - a)[0]?.[0];
  }

  const script = { name: 'script', ranMs: 10, waitedMs: 20, answerRanMs: 0, answerWaitedMs: 0 };
  const native = { name: 'native', ranMs: 1, waitedMs: 0, answerRanMs: 90, answerWaitedMs: 90 };

  test.each([
    ['before a native call', [script, script, script, script, script, native]],
    ['after a native call', [native, script, script, script, script, script]],
  ])('do not make a function that V8 interrupts the longest %s', (_, steps) => {
    expect(longest(steps, 1)).toBe('native');
  });

  test('at the end of the block do not count twice for a native call', () => {
    const [calls, shorter] = [Array.from({ length: 9 }, () => script), { ...native, answerRanMs: 60 }];
    expect(longest([...calls, shorter], 1)).toBe('script');
  });

  test('between the reading before the block and its start leave the time for which the thread ran to answer', () => {
    const reading = (at: number, runQueueMs: number) => ({ at, idleTime: 0, times: { cpuMs: 0, runQueueMs } });
    const period = { start: 1000, end: 1400, before: reading(500, 0), after: reading(1400, 620) };
    const late = sample([frame('work')], {
      requestedAt: 1080,
      sentAt: 1080,
      sentRunQueueMs: 400,
      takenAt: 1350,
      threadTimes: { cpuMs: 0, runQueueMs: 600 },
    });
    expect(segmentsOf([late], period)[0]).toMatchObject({ ms: 400, ranMs: 70 });
  });

  test('do not change the evidence, however long they are', () => {
    const ms = fc.integer({ min: 0, max: 200 });
    const step = fc.record({
      name: fc.constantFrom('script', 'native', 'other'),
      ranMs: fc.integer({ min: 2, max: 200 }),
      waitedMs: ms,
      answerRanMs: ms,
      answerWaitedMs: ms,
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 20 }), (steps, scale) => {
        const [calm, busy] = [timesOf(steps, 0), timesOf(steps, scale)];
        expect(busy.map((ranMs) => Math.round(ranMs * 1e6))).toEqual(calm.map((ranMs) => Math.round(ranMs * 1e6)));
      }),
    );
  });
});

describe('the state of the thread', () => {
  const stateOf = (frames: readonly Frame[]): string => visibleIn(sample(frames), false).state;
  const createSpans = frame('createSpans');

  test('is asleep in a call of Node or V8 that sleeps, and not in a function of the application with its name', () => {
    expect(stateOf([nodeFrame('spawnSync', { fileName: 'node:child_process' }), createSpans])).toBe('asleep');
    expect(stateOf([builtinFrame('Atomics.wait'), createSpans])).toBe('asleep');
    expect(stateOf([frame('spawnSync'), createSpans])).toBe('javascript');
  });

  test('is native in builtins that V8 interrupts, and not in a function of the application with their name', () => {
    expect(stateOf([builtinFrame('JSON.parse'), createSpans])).toBe('native');
    expect(stateOf([frame('JSON.parse'), createSpans])).toBe('javascript');
  });
});

describe('the time that a sample which shows a sleep stands for as asleep', () => {
  const before = { at: 1000, idleTime: 0, times: { cpuMs: 500, runQueueMs: 800 } };
  const asleepAt = (
    requestedAt: number,
    { cpuMs, runQueueMs, sentRunQueueMs }: ThreadTimes & Pick<Sample, 'sentRunQueueMs'>,
    frames: readonly Frame[] = [builtinFrame('Atomics.wait'), frame('work')],
  ): Sample =>
    sample(frames, { requestedAt, takenAt: requestedAt + 1, sentRunQueueMs, threadTimes: { cpuMs, runQueueMs } });
  const asleep = (...samples: readonly Sample[]): number[] =>
    segmentsOf(samples, { start: 1000, end: 1122, before }).map(({ asleepMs }) => asleepMs);

  test('is all of its time where the thread was neither on a CPU nor waited for one', () => {
    expect(asleep(asleepAt(1078, { cpuMs: 500, runQueueMs: 800, sentRunQueueMs: 800 }))).toEqual([122]);
  });

  test('is no time in which other code ran and waited for a CPU before a short sleep', () => {
    expect(asleep(asleepAt(1078, { cpuMs: 525, runQueueMs: 848, sentRunQueueMs: 848 }))).toEqual([122 - 25 - 48]);
  });

  test('includes the wait for a CPU of a thread that a question has woken up', () => {
    const [first, second] = [
      asleepAt(1050, { cpuMs: 500, runQueueMs: 800, sentRunQueueMs: 800 }),
      asleepAt(1100, { cpuMs: 500, runQueueMs: 849, sentRunQueueMs: 845 }),
    ];
    expect(asleep(first, second)[1]).toBeGreaterThan(40);
  });

  test('may be all that is as long as the time from the first reading to the block: that may have been before it', () => {
    const [of] = segmentsOf([asleepAt(1078, { cpuMs: 525, runQueueMs: 848, sentRunQueueMs: 848 })], {
      ...{ start: 1000, end: 1122 },
      before: { ...before, at: 927 },
    });
    expect(of?.asleepMs).toBe(122);
  });

  test('is nothing of a sample that shows no sleep', () => {
    expect(asleep(asleepAt(1078, { cpuMs: 500, runQueueMs: 800, sentRunQueueMs: 800 }, [frame('work')]))).toEqual([0]);
  });
});
