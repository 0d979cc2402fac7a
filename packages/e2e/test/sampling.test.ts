import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  SPAN_EVENT_LOOP_BLOCKED,
  SPAN_EVENT_LOOP_SATURATED,
  SPAN_LIBUV_THREAD_POOL_STARVED,
} from '@loopwatch/instrumentation-event-loop/semconv';

import { eventually } from '../src/eventually.ts';
import {
  blockAttributes,
  newSpanId,
  newTraceId,
  SPAN_KIND_INTERNAL,
  SPAN_KIND_SERVER,
  SyntheticService,
  type SyntheticSpan,
} from '../src/services/synthetic-service.ts';
import { TestStack } from '../src/test-stack.ts';

const requestCount = 2_000;
/** Longer than the test waits for a block: only a trace without its root waits for so long. */
const DECISION_WAIT_S = 120;

describe('tail sampling at a base rate of one in a hundred', () => {
  let stack: TestStack;
  let service: SyntheticService;

  beforeAll(async () => {
    stack = await TestStack.start({
      LOOPWATCH_COLLECTOR_SAMPLE_PERCENT: '1',
      LOOPWATCH_COLLECTOR_DECISION_WAIT: `${DECISION_WAIT_S}s`,
    });
    service = new SyntheticService(stack.otlpUrl, 'sampled');
  });

  afterAll(async () => {
    await stack.stop();
  });

  test('keeps every trace with a block, a saturated loop, a full pool, an error or a victim, and few of the others', async () => {
    const kept: string[] = [];
    for (let index = 0; index < 10; index++) {
      const { traceId } = await service.sendBlockedRequest({ seconds: 0.5, functionName: 'createSpans' });
      kept.push(traceId);
    }
    const failed = request({ isError: true });
    const victim = request({ attributes: { 'event_loop.blocked.wait_time': 0.4 } });
    const others = [SPAN_EVENT_LOOP_SATURATED, SPAN_LIBUV_THREAD_POOL_STARVED].map((name) =>
      request({ name, kind: SPAN_KIND_INTERNAL }),
    );
    kept.push(failed.traceId, victim.traceId);
    await service.sendSpans([failed, victim, ...others]);
    for (let sent = 0; sent < requestCount; sent += 500) {
      await service.sendSpans(Array.from({ length: 500 }, () => request({})));
    }

    for (const traceId of kept) {
      await eventually(
        `Jaeger has the request of trace ${traceId}`,
        () => stack.jaeger.trace(traceId),
        (spans) => spans.some(({ kind }) => kind === SPAN_KIND_SERVER),
      );
    }

    for (const { traceId, spanId } of others) {
      await eventually(
        `Jaeger has the span of trace ${traceId}`,
        () => stack.jaeger.trace(traceId),
        (spans) => spans.some((span) => span.spanId === spanId),
      );
    }

    // The sampling decisions are made: the number of traces does not change any more.
    const traces = new Set((await stack.jaeger.search('sampled', undefined, 5_000)).map(({ traceId }) => traceId));
    expect(traces.size).toBeLessThan(kept.length + others.length + requestCount * 0.04);
  });

  test('counts requests for the Monitor tab before sampling', async () => {
    const calls = await eventually(
      'Prometheus has the calls of all requests',
      () =>
        stack.prometheus.sum('traces_span_metrics_calls_total{service_name="sampled",span_kind="SPAN_KIND_SERVER"}'),
      (count) => count >= requestCount + 12,
    );
    expect(calls).toBe(requestCount + 12);
  });

  test('shows a block at once, before the sampling decision', async () => {
    // Its request has not ended: the trace has no root, and no decision for a long time.
    const block = request({
      parentSpanId: newSpanId(),
      name: SPAN_EVENT_LOOP_BLOCKED,
      kind: SPAN_KIND_INTERNAL,
      attributes: blockAttributes('late'),
    });
    await service.sendSpans([block]);
    const spans = await eventually(
      'Jaeger has the block without waiting for the decision',
      () => stack.jaeger.trace(block.traceId),
      (found) => found.length > 0,
      { withinMs: (DECISION_WAIT_S / 2) * 1000 },
    );
    expect(spans.map(({ spanId }) => spanId)).toEqual([block.spanId]);
  });

  function request(rest: Partial<SyntheticSpan>): SyntheticSpan {
    const endTimeMs = Date.now();
    return {
      traceId: newTraceId(),
      spanId: newSpanId(),
      name: 'GET /fast',
      kind: SPAN_KIND_SERVER,
      startTimeMs: endTimeMs - 5,
      endTimeMs,
      ...rest,
    };
  }
});
