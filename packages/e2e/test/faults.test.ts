import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { BlockStream } from '../src/services/block-stream.ts';
import { eventually } from '../src/eventually.ts';
import { SyntheticService } from '../src/services/synthetic-service.ts';
import { TestStack } from '../src/test-stack.ts';

const outageMs = 30_000;

describe('a fault in the pipeline', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await TestStack.start();
  });

  afterAll(async () => {
    await stack.stop();
  });

  test('Jaeger down for 30 s: every accepted block arrives, once', async () => {
    const service = new SyntheticService(stack.otlpUrl, 'jaeger-down');
    const stream = new BlockStream(service);
    await sleep(1_000);
    await stack.killProgram('jaeger');
    await sleep(outageMs);
    await stack.startProgram('jaeger');
    await sleep(1_000);
    await stream.stop();

    expect(stream.refusedCount).toBe(0);
    await expectInJaegerOnce(service, stream);
    await expectBlockSpansCounted(service, stream.accepted.length);
  });

  test('Prometheus down for 30 s: every block is counted, once', async () => {
    const service = new SyntheticService(stack.otlpUrl, 'prometheus-down');
    const stream = new BlockStream(service);
    const stopExporting = exportEverySecond(service, stream);
    await sleep(2_000);
    await stack.killProgram('prometheus');
    await sleep(outageMs);
    await stack.startProgram('prometheus');
    await sleep(1_000);
    await stream.stop();
    const exports = await stopExporting();

    expect(stream.refusedCount).toBe(0);
    await expectBlockSpansCounted(service, stream.accepted.length);
    await eventually(
      "Prometheus has the application's own count of its blocks",
      () => stack.prometheus.sum(`event_loop_blocked_duration_seconds_count{service_name="${service.name}"}`),
      (count) => count === stream.accepted.length,
    );
    // Samples of the outage arrive later with their original timestamps: there is no hole.
    const series = `event_loop_blocked_duration_seconds_count{service_name="${service.name}"}`;
    await eventually(
      `Prometheus has a sample of each of the ${exports} exports`,
      () => stack.prometheus.sum(`count_over_time(${series}[10m])`),
      (samples) => samples >= exports,
    );
  });

  test('the collector killed and started again: every block it had accepted arrives, once', async () => {
    const service = new SyntheticService(stack.otlpUrl, 'collector-killed');
    const stream = new BlockStream(service);
    // Jaeger is down meanwhile, so that accepted spans are in the queue when the collector is killed.
    await sleep(500);
    await stack.killProgram('jaeger');
    await sleep(2_000);
    await stack.killProgram('collector');
    await sleep(1_000);
    await stack.startProgram('collector');
    await stack.startProgram('jaeger');
    await sleep(1_000);
    await stream.stop();

    expect(stream.refusedCount).toBeGreaterThan(0);
    const arrivedCount = await expectInJaegerOnce(service, stream);
    const counted = await stack.prometheus.sum(blockSpanCalls(service));
    expect(counted).toBeLessThanOrEqual(arrivedCount);
  });

  test('a malformed or oversized body gets a 4xx answer, and the pipeline goes on', async () => {
    const json = { 'content-type': 'application/json' };
    expect(await statusOf('/v1/traces', '{"resourceSpans": [', json)).toBe(400);
    expect(await statusOf('/v1/traces', 'not protobuf', { 'content-type': 'application/x-protobuf' })).toBe(400);
    expect(await statusOf('/v1/traces', '{}', { 'content-type': 'text/plain' })).toBe(415);
    expect(await statusOf('/v1/traces', '{}', { ...json, 'content-encoding': 'gzip' })).toBe(400);
    // Too long by some bytes, which the server still reads: where it leaves out more, it closes the connection, and the
    // answer may be lost on its way.
    expect(await statusOf('/v1/metrics', `{"x":"${'y'.repeat(16 * 1024 * 1024)}"}`, json)).toBe(400);

    const service = new SyntheticService(stack.otlpUrl, 'after-malformed');
    const { traceId, spanId } = await service.sendBlockedRequest({ seconds: 0.2, functionName: 'wellFormed' });
    await eventually(
      'a block sent afterwards is in Jaeger',
      () => stack.jaeger.trace(traceId),
      (spans) => spans.some((span) => span.spanId === spanId),
    );
  });

  async function expectInJaegerOnce(service: SyntheticService, stream: BlockStream): Promise<number> {
    const sent = stream.accepted.map(({ spanId }) => spanId).sort();
    const spans = await eventually(
      `Jaeger has all ${sent.length} blocks of ${service.name}`,
      () => stack.jaeger.spansNamed(service.name, 'event-loop-blocked'),
      (found) => {
        const ids = new Set(found.map(({ spanId }) => spanId));
        return sent.every((id) => ids.has(id));
      },
      { withinMs: 60_000, everyMs: 500 },
    );
    const ids = spans.map(({ spanId }) => spanId);
    expect(ids).toHaveLength(new Set(ids).size);
    // The collector may have accepted a request whose answer was lost.
    expect(ids.length - sent.length).toBeLessThanOrEqual(stream.refusedCount);
    return ids.length;
  }

  async function expectBlockSpansCounted(service: SyntheticService, count: number): Promise<void> {
    await eventually(
      `span_metrics counted ${count} blocks of ${service.name}`,
      () => stack.prometheus.sum(blockSpanCalls(service)),
      (counted) => counted === count,
      { withinMs: 60_000 },
    );
  }

  /** The returned function ends it, and resolves to the number of exports that had a block. */
  function exportEverySecond(service: SyntheticService, stream: BlockStream): () => Promise<number> {
    const stopping = new AbortController();
    let exports = 0;
    const exportOnce = async () => {
      const hasBlocks = stream.accepted.length > 0;
      await service.exportMetrics();
      if (hasBlocks) exports++;
    };
    const running = (async () => {
      while (!stopping.signal.aborted) {
        await exportOnce();
        await sleep(1_000);
      }
      await exportOnce();
    })();
    return async () => {
      stopping.abort();
      await running;
      return exports;
    };
  }

  async function statusOf(path: string, body: string, headers: Record<string, string>): Promise<number> {
    const response = await fetch(stack.otlpUrl + path, {
      method: 'POST',
      body,
      headers,
      signal: AbortSignal.timeout(20_000),
    });
    await response.arrayBuffer();
    return response.status;
  }
});

function blockSpanCalls(service: SyntheticService): string {
  return `event_loop_blocked_span_calls_total{service_name="${service.name}",span_name="event-loop-blocked"}`;
}
