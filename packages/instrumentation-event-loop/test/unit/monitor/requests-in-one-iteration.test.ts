import { describe, expect, test } from '@jest/globals';
import { overlapMs, type Interval } from '../../../src/contract/interval.js';
import { ATTR_BLOCKED_VICTIMS, ATTR_BLOCKED_VICTIM_WAIT_TIME, ATTR_BLOCKED_WAIT_TIME } from '../../../src/semconv.js';
import { isInnerTier } from '@loopwatch/test-support';
import { runSchedule, type Outcome } from '../support/scheduled-iteration.js';
import { makeBatch, makeSchedule, type Schedule, type Shape } from '../support/schedules.js';

const SEEDS = isInnerTier ? 40 : 100;
/** Shorter waits are not reported, and clocks have rounding errors. */
const TOLERANCE_MS = 1.01;

/** A span that ends so early in an iteration is not kept: it has waited for less than this. */
const NOT_KEPT_MS = 10;

const SHAPES: readonly (readonly [string, Shape])[] = [
  ['two requests', { requests: 2, stretches: 2, longestMs: 800, firstSampleMs: 50, intervalMs: 10 }],
  ['a few requests', { requests: 5, stretches: 8, longestMs: 120, firstSampleMs: 50, intervalMs: 10 }],
  ['forty short requests', { requests: 40, stretches: 40, longestMs: 12, firstSampleMs: 50, intervalMs: 10 }],
  ['many switches', { requests: 6, stretches: 60, longestMs: 20, firstSampleMs: 50, intervalMs: 10 }],
  ['a long block', { requests: 4, stretches: 10, longestMs: 4000, firstSampleMs: 50, intervalMs: 10 }],
  ['dense samples', { requests: 6, stretches: 12, longestMs: 60, firstSampleMs: 0, intervalMs: 0.25 }],
];

/** The simple model of the truth: who ran when, and which spans are around which. */
class Truth {
  readonly #schedule: Schedule;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  /** How long the request ran, or how long no span was active. */
  ranMs(request: number | undefined, within: Interval): number {
    return this.#schedule.stretches.reduce(
      (sum, stretch) => sum + (stretch.request === request ? overlapMs(within, [stretch]) : 0),
      0,
    );
  }

  /** How long others ran while the request was open. */
  waitMs(request: number): number {
    const open = this.openIn(request);
    return this.#schedule.stretches.reduce(
      (sum, stretch) => sum + (this.isWithin(stretch.request, request) ? 0 : overlapMs(open, [stretch])),
      0,
    );
  }

  openIn(request: number): Interval {
    const { startAt, endAt, endedAgoMs } = this.#schedule.requests[request]!;
    return { start: Math.max(0, startAt), end: Math.min(this.#schedule.lengthMs, endAt - endedAgoMs) };
  }

  /** Whether the first request is the second or within it. */
  isWithin(inner: number | undefined, outer: number): boolean {
    for (let i = inner; i !== undefined; i = this.#schedule.requests[i]?.outer) if (i === outer) return true;
    return false;
  }

  /** What starts after the last evidence may run itself until the end of the block. */
  unseenMs(request: number, { evidence }: Outcome): number {
    const { start, end } = this.openIn(request);
    return start > (evidence.at(-1)?.at ?? 0) ? Math.max(0, end - start) : 0;
  }

  /** Times for which the evidence does not show who ran. */
  unclear({ evidence }: Outcome): Interval[] {
    const { stretches, lengthMs } = this.#schedule;
    const points = [
      { at: 0, request: evidence[0]?.request },
      ...evidence,
      { at: lengthMs, request: evidence.at(-1)?.request },
    ];
    return points.slice(1).flatMap(({ at: end, request }, i) => {
      const { at: start, request: before } = points[i]!;
      const ran = stretches.filter((stretch) => overlapMs({ start, end }, [stretch]) > 0);
      const isClear = before === request && ran.every((stretch) => stretch.request === request);
      return isClear || end <= start ? [] : [{ start, end }];
    });
  }
}

function waitMsOf(span: Outcome['spans'][number]): number {
  return Number(span?.attributes[ATTR_BLOCKED_WAIT_TIME] ?? 0) * 1000;
}

describe.each(SHAPES)('%s in one loop iteration', (_, shape) => {
  const outcomes = [true, false].flatMap((hasProcessor) =>
    Array.from({ length: SEEDS }, (__, seed) => {
      const schedule = makeSchedule(seed + 1, shape);
      return { seed, hasProcessor, schedule, truth: new Truth(schedule), outcome: runSchedule(schedule, hasProcessor) };
    }),
  );
  const withProcessor = outcomes.filter(({ hasProcessor }) => hasProcessor);

  test('are one block', () => {
    for (const { seed, schedule, outcome } of outcomes) {
      const bounds = outcome.blocks.map(({ block }) => [block.start - 10_000, block.end - 10_000]);
      expect([seed, bounds]).toEqual([seed, [[0, schedule.lengthMs]]]);
    }
  });

  test("the block's parent is the request that computed most", () => {
    const wrong: unknown[] = [];
    for (const { seed, hasProcessor, schedule, truth, outcome } of outcomes) {
      const unclear = truth.unclear(outcome);
      for (const { block, span } of outcome.blocks) {
        const within = { start: block.start - 10_000, end: block.end - 10_000 };
        const ids = schedule.requests.map((__, i) => outcome.spanIds[i]);
        const parentId = span?.parentSpanContext?.spanId;
        const parent = parentId === undefined ? undefined : requestOf(parentId);
        // Without the processor, requests of one trace count as one.
        const together = (request: number): number =>
          hasProcessor
            ? truth.ranMs(request, within)
            : ids.reduce((sum, ___, i) => sum + (rootOf(i) === rootOf(request) ? truth.ranMs(i, within) : 0), 0);
        const most = Math.max(truth.ranMs(undefined, within), ...ids.map((___, i) => together(i)));
        const parentMs = parent === undefined ? truth.ranMs(undefined, within) : together(parent);
        const errorMs = 2 * overlapMs(within, unclear) + TOLERANCE_MS;
        if (parentMs + errorMs < most) wrong.push([seed, hasProcessor, parentMs, most]);
      }

      function requestOf(spanId: string): number {
        const own = outcome.spanIds.indexOf(spanId);
        return own >= 0 ? own : outcome.innerIds.indexOf(spanId);
      }
      function rootOf(request: number): number {
        const { outer } = schedule.requests[request]!;
        return outer === undefined ? request : rootOf(outer);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('the links of the block are the others that computed', () => {
    const wrong: unknown[] = [];
    for (const { seed, truth, outcome } of outcomes) {
      for (const { block, span } of outcome.blocks) {
        const within = { start: block.start - 10_000, end: block.end - 10_000 };
        const linked = span!.links.map(({ context }) => context.spanId);
        for (const id of linked) {
          const request = Math.max(outcome.spanIds.indexOf(id), outcome.innerIds.indexOf(id));
          const isShown = truth.ranMs(request, within) > 0 || outcome.evidence.some((of) => of.request === request);
          if (!isShown || id === span!.parentSpanContext?.spanId) wrong.push([seed, id]);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test('a request waits for what others computed while it was open, and for nothing else', () => {
    const wrong: unknown[] = [];
    for (const { seed, schedule, truth, outcome } of withProcessor) {
      const unclear = truth.unclear(outcome);
      schedule.requests.forEach((__, i) => {
        const span = outcome.spans[i];
        if (!span) return;
        const tooMuchMs = waitMsOf(span) - truth.waitMs(i);
        const errorMs = Math.max(tooMuchMs, -tooMuchMs - truth.unseenMs(i, outcome));
        const { end } = truth.openIn(i);
        const earlyMs = end <= NOT_KEPT_MS ? Math.max(0, end) : 0;
        const boundMs = overlapMs(truth.openIn(i), unclear) + TOLERANCE_MS + earlyMs;
        if (errorMs > boundMs) wrong.push([seed, i, errorMs, boundMs]);
      });
    }
    expect(wrong).toEqual([]);
  });

  test('a request that no other delayed has neither wait time nor link', () => {
    const wrong: unknown[] = [];
    let alone = 0;
    for (const { seed, schedule, truth, outcome } of withProcessor) {
      const unclear = truth.unclear(outcome);
      schedule.requests.forEach((__, i) => {
        const span = outcome.spans[i];
        if (!span || truth.waitMs(i) > 0 || overlapMs(truth.openIn(i), unclear) > 0) return;
        alone++;
        if (waitMsOf(span) > 0 || span.links.length > 0) wrong.push([seed, i, waitMsOf(span)]);
      });
    }
    expect(alone).toBeGreaterThan(SEEDS / 20);
    expect(wrong).toEqual([]);
  });

  test('each link of a request leads to a block that it waited for, and whose parent is not within it', () => {
    const wrong: unknown[] = [];
    for (const { seed, schedule, truth, outcome } of withProcessor) {
      const linkedBy = new Map<string, number>();
      schedule.requests.forEach((__, i) => {
        const span = outcome.spans[i];
        if (!span) return;
        for (const { context } of span.links) {
          const target = outcome.blocks.find((of) => of.span?.spanContext().spanId === context.spanId);
          if (target?.span?.spanContext().traceId !== context.traceId) wrong.push([seed, i, 'no target']);
          const parentId = target?.span?.parentSpanContext?.spanId;
          const parent = Math.max(outcome.spanIds.indexOf(parentId ?? ''), outcome.innerIds.indexOf(parentId ?? ''));
          if (truth.isWithin(parent < 0 ? undefined : parent, i)) wrong.push([seed, i, 'its own block']);
          linkedBy.set(context.spanId, (linkedBy.get(context.spanId) ?? 0) + 1);
        }
        if (span.links.length > 0 && waitMsOf(span) === 0) wrong.push([seed, i, 'no wait']);
      });
      for (const { span } of outcome.blocks) {
        const victims = Number(span?.attributes[ATTR_BLOCKED_VICTIMS] ?? 0);
        const waitMs = Number(span?.attributes[ATTR_BLOCKED_VICTIM_WAIT_TIME] ?? 0) * 1000;
        // Spans that never end are victims, too, and a back-dated end is not known when the block is reported.
        const linked = linkedBy.get(span!.spanContext().spanId) ?? 0;
        if (victims < linked || waitMs < victims) wrong.push([seed, victims, linked, waitMs]);
      }
    }
    expect(wrong).toEqual([]);
  });
});

const BATCHES: readonly (readonly [string, Shape])[] = [
  ['three messages', { requests: 3, stretches: 0, longestMs: 60, firstSampleMs: 50, intervalMs: 10 }],
  ['two long messages', { requests: 2, stretches: 0, longestMs: 200, firstSampleMs: 50, intervalMs: 10 }],
  ['a dozen short messages', { requests: 12, stretches: 0, longestMs: 8, firstSampleMs: 50, intervalMs: 10 }],
];

test.each(BATCHES)('in a batch of %s in one callback, no message waits for work that may be its own', (_, shape) => {
  const wrong: unknown[] = [];
  let waits = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const schedule = makeBatch(seed, shape);
    const truth = new Truth(schedule);
    const outcome = runSchedule(schedule, true);
    const firstAt = outcome.evidence[0]!.at;
    // Between two samples; nothing is claimed before the first.
    const unclear = truth.unclear(outcome).filter(({ start }) => start >= firstAt);
    schedule.requests.forEach((__, i) => {
      const open = truth.openIn(i);
      // The callback itself, outside of any message, works for its messages.
      const trueMs = schedule.stretches.reduce(
        (sum, { request, start, end }) =>
          sum + (request === undefined || request === i ? 0 : overlapMs(open, [{ start, end }])),
        0,
      );
      const ms = waitMsOf(outcome.spans[i]);
      if (ms > 0) waits++;
      if (ms > trueMs + overlapMs(open, unclear) + TOLERANCE_MS) wrong.push([seed, i, ms, trueMs]);
    });
  }
  expect(waits).toBeGreaterThan(SEEDS / 10);
  expect(wrong).toEqual([]);
});
