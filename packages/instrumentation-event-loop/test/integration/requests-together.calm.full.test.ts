import { describe, expect, test } from '@jest/globals';
import { describeCombination, durationMs, epochMs, judgedOn, oldestAndNewest } from '@loopwatch/test-support';
import type { RunResult, SpanRecord, TruthRecord } from '@loopwatch/test-support';

import { ATTR_BLOCKED_WAIT_TIME } from '../../src/semconv.ts';
import { expectCleanExit, expectUnstarved, spansOfBlocks } from './support.ts';
import { node24 } from './thread-support.ts';

const SERVER = 1;
/** On a busy host, a block may last as long as a hang: it then links to the hang's report, too. */
const withoutHangs = { hangThresholdMs: 0 };
const ways = ['at once', 'after the others have started', 'long after'] as const;

interface Request {
  readonly truth: TruthRecord;
  readonly span: SpanRecord;
}

/** The requests in the order in which they ran, with their spans. */
function requestsOf(result: RunResult): Request[] {
  return result.truths
    .map((truth) => ({
      truth,
      span: result.spans.find(
        ({ kind, spanId, traceId }) => kind === SERVER && spanId === truth.spanId && traceId === truth.traceId,
      )!,
    }))
    .sort((a, b) => a.truth.startNowMs - b.truth.startNowMs);
}

function lengthOf({ truth }: Request): number {
  return truth.endNowMs - truth.startNowMs;
}

function waitMsOf(span: SpanRecord): number {
  return Number(span.attributes[ATTR_BLOCKED_WAIT_TIME] ?? 0) * 1000;
}

interface Together {
  readonly requests: readonly Request[];
  readonly block: SpanRecord;
  /** The request of the block. */
  readonly longest: Request;
}

/** Expects the parent and the links of one block in which all requests ran. */
function expectParentAndLinks(result: RunResult): Together {
  const requests = requestsOf(result);
  const [block, ...others] = spansOfBlocks(result);
  expect(others).toEqual([]);
  const longest = requests.reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a));
  expect(block?.parentSpanId).toBe(longest.span.spanId);
  // A failure names the request that has a link too many, or none.
  const nameOf = (spanId: string): string => requests.find(({ span }) => span.spanId === spanId)?.truth.id ?? spanId;
  expect(block?.links.map(({ spanId }) => nameOf(spanId)).sort()).toEqual(
    requests
      .filter((request) => request !== longest)
      .map(({ truth }) => truth.id)
      .sort(),
  );
  return { requests, block: block!, longest };
}

/** Expects the waits, too. */
function expectOneBlock(result: RunResult): void {
  const { requests, block, longest } = expectParentAndLinks(result);
  for (const request of requests) {
    const { span } = request;
    const open = { start: epochMs(span.startTime), end: epochMs(span.endTime) };
    const truthMs = requests
      .filter((other) => other !== request)
      .reduce((sum, { truth }) => {
        const start = Math.max(open.start, truth.startEpochMs);
        return sum + Math.max(0, Math.min(open.end, truth.endEpochMs) - start);
      }, 0);
    expect(Math.abs(waitMsOf(span) - truthMs) / durationMs(block)).toBeLessThan(0.08);
    // Links lead from those that waited, except from the block's own request, to the block.
    const hasLink = request !== longest && truthMs > 5;
    expect([span.attributes['url.path'], span.links.map(({ spanId }) => spanId)]).toEqual([
      span.attributes['url.path'],
      hasLink ? [block.spanId] : [],
    ]);
  }
}

describe('Two requests in one iteration, of which the second computes for longest', () => {
  // Neighbours run on the oldest and on the newest: each way and each kind of spans on both.
  const cases = [
    ['at once', 'http'],
    ['at once', 'manual'],
    ['after the others have started', 'manual'],
    ['after the others have started', 'http'],
    ['long after', 'http'],
    ['long after', 'manual'],
  ] as const;

  test.concurrent.each(
    oldestAndNewest.flatMap((on) => judgedOn(on, cases).map((each) => [...each, describeCombination(on), on] as const)),
  )('answer %s, spans by %s (%s)', (way, spans, _label, combination) =>
    expectUnstarved(async (run) => {
      const result = await run(combination, 'requests-together.cjs', {
        args: [way, spans, '200', '800'],
        telemetry: { victims: true, batch: true, http: spans === 'http', instrumentation: withoutHangs },
      });
      expectCleanExit(result);
      expectOneBlock(result);
    }),
  );
});

test.concurrent.each(ways)('five requests in one iteration, without the span processor: answer %s', (way) =>
  expectUnstarved(async (run) => {
    const args = [way, 'http', '150', '300', '500', '100', '200'];
    const result = await run(node24, 'requests-together.cjs', {
      args,
      telemetry: { http: true, instrumentation: withoutHangs },
    });
    expectCleanExit(result);
    expectParentAndLinks(result);
    expect(result.spans.map(waitMsOf)).toEqual(result.spans.map(() => 0));
  }),
);

test.concurrent.each(ways)('five requests in one iteration, with the span processor: answer %s', (way) =>
  expectUnstarved(async (run) => {
    const result = await run(node24, 'requests-together.cjs', {
      args: [way, 'http', '150', '300', '500', '100', '200'],
      telemetry: { victims: true, batch: true, http: true, instrumentation: withoutHangs },
    });
    expectCleanExit(result);
    expectOneBlock(result);
  }),
);

test.concurrent(
  'forty short requests in one iteration that start and end one after the other do not wait for each other',
  () =>
    expectUnstarved(async (run) => {
      const result = await run(node24, 'requests-together.cjs', {
        args: ['at once', 'http', ...Array.from({ length: 40 }, () => '6')],
        telemetry: { victims: true, batch: true, http: true, instrumentation: withoutHangs },
      });
      expectCleanExit(result);
      const blocks = spansOfBlocks(result);
      expect(blocks.length).toBeGreaterThan(0);
      const requests = result.spans.filter(({ kind }) => kind === SERVER);
      expect(requests).toHaveLength(40);
      expect(requests.filter((span) => waitMsOf(span) > 0 || span.links.length > 0)).toEqual([]);
    }),
);
