import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as semconv from '@loopwatch/instrumentation-event-loop/semconv';

import { Demo } from '../src/services/demo.ts';
import { eventually } from '../src/eventually.ts';
import { TestStack } from '../src/test-stack.ts';

/** The pattern of the tag check backtracks for minutes on this text. */
const endlessTag = `${'a'.repeat(40)}.`;

describe('hangs and threads', () => {
  let stack: TestStack;
  let demo: Demo;
  let serviceName: string;
  let demoCount = 0;

  beforeAll(async () => {
    stack = await TestStack.start();
  });

  afterAll(async () => {
    await stack.stop();
  });

  beforeEach(async () => {
    serviceName = `demo-${++demoCount}`;
    demo = await Demo.start(stack, {
      OTEL_SERVICE_NAME: serviceName,
      DEMO_HANG_ROUTE: '1',
      LOOPWATCH_HANG_THRESHOLD_MS: '2000',
    });
  });

  afterEach(async () => {
    await demo.stop('SIGKILL');
  });

  test('a hang is in Jaeger and fires its alert before the process is killed, and stays in Jaeger afterwards', async () => {
    await demo.request('GET', '/healthz');
    const hanging = demo.request('GET', `/tags/check?tag=${endlessTag}`).catch(() => undefined);

    const hangs = await eventually(
      'Jaeger has the hang while it lasts',
      () => stack.jaeger.spansNamed(serviceName, semconv.SPAN_EVENT_LOOP_HANG),
      (spans) => spans.length > 0,
      { withinMs: 60_000 },
    );
    expect(hangs[0]!.attributes).toMatchObject({
      [semconv.ATTR_CODE_FUNCTION_NAME]: 'isValidTag',
      [semconv.ATTR_BLOCKED_REQUEST]: 'GET /tags/check',
      [semconv.ATTR_THREAD_NAME]: 'main',
    });
    // Its parent is the request that hangs, whose own span never arrives.
    expect(hangs[0]!.parentSpanId).toMatch(/^[0-9a-f]{16}$/);

    const alert = await eventually(
      'the alert on the hang fires',
      async () => (await stack.prometheus.alerts()).find(({ labels }) => labels['alertname'] === 'EventLoopHang'),
      (found) => found?.state === 'firing',
      { withinMs: 60_000 },
    );
    expect(alert?.labels).toMatchObject({ service_name: serviceName, thread_name: 'main', severity: 'critical' });

    await demo.stop('SIGKILL');
    await hanging;
    const afterwards = await stack.jaeger.spansNamed(serviceName, semconv.SPAN_EVENT_LOOP_HANG);
    expect(afterwards.map(({ spanId }) => spanId)).toContain(hangs[0]!.spanId);
  });

  test('threads that are left behind raise the thread count, and ended threads lower it', async () => {
    const threads = `sum(event_loop_threads{service_name="${serviceName}", thread_name="consumer-heartbeat"})`;
    const rebalance = (query = ''): Promise<unknown> => demo.request('POST', `/consumers/rebalance${query}`);
    const reaches = (count: number): Promise<number> =>
      eventually(
        `Prometheus has ${count} threads`,
        () => stack.prometheus.sum(threads),
        (value) => value === count,
        { withinMs: 60_000 },
      );
    await rebalance();
    expect(await reaches(1)).toBe(1);
    await rebalance();
    await rebalance();
    expect(await reaches(3)).toBe(3);
    await eventually(
      'Prometheus has the utilisation of the threads by name',
      async () => {
        const samples = await stack.prometheus.query(`event_loop_utilization_ratio{service_name="${serviceName}"}`);
        return samples.map(({ metric }) => metric['thread_name'] ?? '');
      },
      (samples) => ['main', 'consumer-heartbeat'].every((name) => samples.includes(name)),
      { withinMs: 60_000 },
    );
    await rebalance('?fixed=1');
    expect(await reaches(1)).toBe(1);
  });

  test.each(['4', '5'])('a worker of Piscina %s that sleeps with pending work is blocked: waiting', async (piscina) => {
    await demo.request('POST', `/runs/1/export?piscina=${piscina}`);
    await sleep(2_000);
    const blocks = await eventually(
      'Jaeger has a block of a worker thread that waited',
      async () => {
        // A task wakes the thread, which ends the block. The next task lets the thread export the block's span.
        await demo.request('POST', `/runs/1/export?fixed=1&piscina=${piscina}`);
        return stack.jaeger.spansNamed(serviceName, semconv.SPAN_EVENT_LOOP_BLOCKED);
      },
      (spans) => spans.some(({ attributes }) => attributes[semconv.ATTR_BLOCKED_PENDING] !== undefined),
      { withinMs: 90_000, everyMs: 1_500 },
    );
    const block = blocks.find(({ attributes }) => attributes[semconv.ATTR_BLOCKED_PENDING] !== undefined)!;
    expect(block.attributes).toMatchObject({
      [semconv.ATTR_BLOCKED_CAUSE]: 'waiting',
      [semconv.ATTR_CODE_STACKTRACE]: expect.stringContaining('atomicsWaitLoop'),
      // A list, which Jaeger stores as JSON text.
      [semconv.ATTR_BLOCKED_PENDING]: expect.stringMatching(/^\["\w+×\d+"/),
    });
    expect(block.attributes[semconv.ATTR_THREAD_ID]).not.toBe(0);
  });
});
