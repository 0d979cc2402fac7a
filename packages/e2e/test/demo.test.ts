import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dashboardQueries, ruleQueries } from '@loopwatch/dashboards';
import * as semconv from '@loopwatch/instrumentation-event-loop/semconv';

import { Demo } from '../src/services/demo.ts';
import { eventually } from '../src/eventually.ts';
import type { JaegerSpan } from '../src/backends/jaeger.ts';
import { SPAN_KIND_SERVER, SyntheticService } from '../src/services/synthetic-service.ts';
import { TestStack } from '../src/test-stack.ts';

const ofDemo = 'service_name="loopwatch-demo"';

/** Not in the demo. */
const notInDemo = [
  // Counters that exist only after the first loss (faults.test.ts tests losses) or ten minutes.
  /_failed_\(|otelcol_lost_items|memory_limiter_refused_|dropped_too_early|lost_in_queue/,
  // The native stack has no agents.
  /[^!]="loopwatch-agent"|loopwatch:agents/,
  // The culprit of functions without a series of their own.
  /code_function_name="other"|other_blocked_seconds/,
  // New culprits need an hour of another version (new-culprit-release.test.ts).
  /new_culprit_minutes|heavy_blocked_seconds|new_blocked_seconds|blocked_minutes/,
];

describe('the demo service through the whole pipeline', () => {
  let stack: TestStack;
  let demo: Demo;

  beforeAll(async () => {
    stack = await TestStack.start();
    demo = await Demo.start(stack);
    // First: on a slow machine, the traffic saturates the loop too, and a thread has one such span a minute. And a search of
    // Jaeger finds the newest traces, which must not all be of this.
    await demo.saturate(14);
    // Not before: who sends the searches would wait for a CPU, and the loop for him.
    demo.runFirst();
    await demo.traffic(stack, 24);
    // The traffic may end before it sends the logins, and on a fast machine their hashes may take less than a second.
    await demo.fillPool();
    // The lag alert needs a block of more than 1 s, which the traffic makes on slow machines only.
    await demo.blockFor(1000);
    // A host without a free CPU sends few of the requests, or finds another function in the only answer of a block.
    for (let tries = 0; tries < 3 && !(await hasBlocksOfAll()); tries++) await demo.traffic(stack, 14);
  });

  async function hasBlocksOfAll(): Promise<boolean> {
    const blocks = await stack.jaeger.spansNamed('loopwatch-demo', semconv.SPAN_EVENT_LOOP_BLOCKED);
    const culprits = new Set(blocks.map(({ attributes }) => attributes[semconv.ATTR_CODE_FUNCTION_NAME]));
    return scenarios.every(({ culprit }) => culprits.has(culprit));
  }

  afterAll(async () => {
    await demo.stop();
    await stack.stop();
  });

  const scenarios = [
    { scenario: 'the nested loop', culprit: 'createSpans', file: 'runs/trace-view.ts', route: '/runs/:runId/trace' },
    {
      scenario: 'the large payload',
      culprit: 'admitDefinition',
      file: 'tasks/definition.ts',
      route: '/tasks',
      // The schema's regular expressions: whether they or the code around them take half of the block, varies.
      cause: /^(javascript|native|cpu_starved)$/,
    },
    {
      scenario: 'the unpaged list',
      culprit: 'listSchedules',
      file: 'schedules/routes.ts',
      route: '/projects/:slug/schedules',
    },
    { scenario: 'the resolver maze', culprit: 'rankByDuration', file: 'graphql/duration-rank.ts', route: '/graphql' },
  ];

  test.each(scenarios)(
    '$scenario: Jaeger has the block under its own request, with the culprit $culprit',
    async ({ culprit, file, route, cause = /^(javascript|cpu_starved)$/ }) => {
      const blocks = await eventually(
        `Jaeger has a block by ${culprit}`,
        () => stack.jaeger.spansNamed('loopwatch-demo', semconv.SPAN_EVENT_LOOP_BLOCKED),
        (spans) => spans.some(({ attributes }) => attributes[semconv.ATTR_CODE_FUNCTION_NAME] === culprit),
      );
      const block = blocks.find(({ attributes }) => attributes[semconv.ATTR_CODE_FUNCTION_NAME] === culprit)!;
      expect(block.attributes).toMatchObject({
        [semconv.ATTR_CODE_FILE_PATH]: expect.stringMatching(new RegExp(`/src/${file}$`)),
        [semconv.ATTR_CODE_LINE_NUMBER]: expect.any(Number),
        [semconv.ATTR_CODE_STACKTRACE]: expect.stringContaining(culprit),
        // On a machine with more work than cores, cpu_starved is right for a block that would otherwise be short.
        [semconv.ATTR_BLOCKED_CAUSE]: expect.stringMatching(cause),
        [semconv.ATTR_BLOCKED_STACK_QUALITY]: 'live',
        [semconv.ATTR_THREAD_NAME]: 'main',
      });
      expect(block.resource['service.instance.id']).toEqual(expect.any(String));
      // The rest of the trace arrives after the sampling decision.
      const trace = await eventually(
        'Jaeger has the request of that block',
        () => stack.jaeger.trace(block.traceId),
        (spans) => ancestorsOf(block, spans).some(({ kind }) => kind === SPAN_KIND_SERVER),
      );
      const server = ancestorsOf(block, trace).find(({ kind }) => kind === SPAN_KIND_SERVER)!;
      expect(server.attributes['http.route']).toBe(route);
      // A block is a whole loop iteration: it can begin with another callback, before the request.
      expect(block.startTimeMs).toBeLessThan(server.endTimeMs);
      expect(block.endTimeMs).toBeGreaterThan(server.startTimeMs);
    },
  );

  test('transactions that timed out because of a block are in Jaeger, in traces of their own', async () => {
    const transactions = await eventually(
      'Jaeger has a transaction that timed out, in a trace without a block',
      async () => {
        const blocks = await stack.jaeger.spansNamed('loopwatch-demo', semconv.SPAN_EVENT_LOOP_BLOCKED);
        const blocked = new Set(blocks.map(({ traceId }) => traceId));
        const spans = await stack.jaeger.spansNamed('loopwatch-demo', 'transaction trigger-run');
        return spans.filter(({ traceId }) => !blocked.has(traceId));
      },
      (spans) => spans.some(({ isError }) => isError),
    );
    expect(transactions.map(({ isError }) => isError)).toContain(true);
  });

  test('the full thread pool: Jaeger has a wait of its own trace, with what held the pool and what waited', async () => {
    const hasLookup = ({ attributes }: JaegerSpan): boolean =>
      String(attributes[semconv.ATTR_LIBUV_THREAD_POOL_QUEUED]).includes('GetAddrInfoReqWrap');
    const isFullOfHashes = ({ attributes }: JaegerSpan): boolean =>
      attributes[semconv.ATTR_LIBUV_THREAD_POOL_HOLDERS] === '["cpu×4"]';
    const starved = await eventually(
      'Jaeger has a task that waited while a lookup did, and four hashes that held the pool',
      async () => {
        const spans = await stack.jaeger.spansNamed('loopwatch-demo', semconv.SPAN_LIBUV_THREAD_POOL_STARVED);
        // Of several waits within ten seconds, the first alone has a span, and no lookup may have waited then.
        if (!spans.some(hasLookup) || !spans.some(isFullOfHashes)) await demo.fillPool();
        return spans;
      },
      (spans) => spans.some(hasLookup) && spans.some(isFullOfHashes),
      { withinMs: 60_000, everyMs: 1_000 },
    );
    const size = { [semconv.ATTR_LIBUV_THREAD_POOL_SIZE]: 4 };
    for (const { attributes } of starved) expect(attributes).toMatchObject(size);
    const waits = `libuv_thread_pool_queue_wait_seconds_sum{${ofDemo}}`;
    await eventually(
      'Prometheus has the waits',
      () => stack.prometheus.sum(waits),
      (seconds) => seconds > 0,
    );
  });

  test('a thousand cuts: Jaeger has the saturated loop, and Prometheus its time, by the request and the function', async () => {
    const request = 'GET /runs/search';
    const saturated = await eventually(
      'Jaeger has a saturated loop that searched',
      () => stack.jaeger.spansNamed('loopwatch-demo', semconv.SPAN_EVENT_LOOP_SATURATED),
      (spans) => spans.some(({ attributes }) => attributes[semconv.ATTR_REQUEST] === request),
    );
    // The first of them: on a slow machine, the traffic saturates the loop too, with searches among other requests.
    const [first] = saturated
      .filter((span) => span.attributes[semconv.ATTR_REQUEST] === request)
      .toSorted((a, b) => a.startTimeMs - b.startTimeMs);
    const { attributes } = first!;
    expect(attributes).toMatchObject({
      // A span has some fifty answers, most of which these functions and the callbacks in them share.
      [semconv.ATTR_CODE_FUNCTION_NAME]: expect.stringMatching(/^(parseFilters|filterOf|searchRunsByRow|<anonymous>)$/),
      [semconv.ATTR_CODE_FILE_PATH]: expect.stringMatching(/\/demo\/src\/search\/\w+\.ts$/),
      [semconv.ATTR_THREAD_NAME]: 'main',
    });
    expect(Number(attributes[semconv.ATTR_UTILIZATION])).toBeGreaterThan(0.9);
    expect(Number(attributes[semconv.ATTR_BUSY_REQUEST_SHARE])).toBeGreaterThan(0.5);
    const busy = `sum by (event_loop_request) (event_loop_busy_time_seconds_total{${ofDemo},event_loop_request="${request}"})`;
    await eventually(
      'Prometheus has the time of the search',
      () => stack.prometheus.sum(busy),
      (seconds) => seconds > 5,
    );
    // The series of one process stay within their bound.
    const series = await stack.prometheus.sum(
      `max(count by (service_instance_id, thread_name) (event_loop_busy_time_seconds_total{${ofDemo}}))`,
    );
    expect(series).toBeLessThanOrEqual(41);
  });

  test('delayed requests have their wait time and a link to the block', async () => {
    // A request that has a block of its own can have waited for others in it, and has no link: the block is in its trace.
    const isVictim = ({ attributes, links }: JaegerSpan): boolean =>
      attributes[semconv.ATTR_BLOCKED_WAIT_TIME] !== undefined && links.length > 0;
    const requests = await eventually(
      'Jaeger has a request that waited',
      () => stack.jaeger.search('loopwatch-demo', 'request'),
      (spans) => spans.some(isVictim),
    );
    const victim = requests.find(isVictim)!;
    expect(victim.attributes[semconv.ATTR_BLOCKED_WAIT_TIME]).toBeGreaterThan(0);
    const [link] = victim.links;
    // The block has another way to Jaeger than the request.
    await eventually(
      'Jaeger has the block of that link',
      () => stack.jaeger.trace(link!.traceId),
      (spans) => spans.some(({ name, spanId }) => name === semconv.SPAN_EVENT_LOOP_BLOCKED && spanId === link!.spanId),
    );
  });

  test('Prometheus has every block by function and cause, and the lag of the thread', async () => {
    for (const { culprit } of scenarios) {
      await eventually(
        `Prometheus counts blocks by ${culprit}`,
        () =>
          stack.prometheus.sum(
            `event_loop_blocked_duration_seconds_count{${ofDemo},code_function_name="${culprit}",` +
              `event_loop_blocked_cause=~"javascript|cpu_starved",thread_name="main"}`,
          ),
        (count) => count > 0,
      );
    }
    const slow = await eventually(
      'Prometheus has lags of more than 1 s',
      () =>
        stack.prometheus.sum(
          `event_loop_lag_seconds_count{${ofDemo}} - ignoring(le) event_loop_lag_seconds_bucket{${ofDemo},le="1"}`,
        ),
      (count) => count > 0,
    );
    expect(slow).toBeGreaterThan(0);
  });

  test('the first block of a function is visible to increase()', async () => {
    const seen = await stack.prometheus.sum(`increase(event_loop_blocked_duration_seconds_count{${ofDemo}}[10m])`);
    const total = await stack.prometheus.sum(`event_loop_blocked_duration_seconds_count{${ofDemo}}`);
    expect(seen).toBeGreaterThan(total * 0.5);
  });

  test('exemplars of the blocks lead to their traces', async () => {
    const exemplars = await eventually(
      'Prometheus has exemplars',
      () => stack.prometheus.exemplars(`event_loop_blocked_span_duration_seconds{${ofDemo}}`),
      (found) => found.length > 0,
    );
    for (const { labels } of exemplars) {
      const spans = await eventually(
        'Jaeger has the block of the exemplar',
        () => stack.jaeger.trace(labels['trace_id'] ?? ''),
        (found) => found.some(({ spanId }) => spanId === labels['span_id']),
      );
      expect(spans.map(({ spanId }) => spanId)).toContain(labels['span_id']);
    }
  });

  test("Jaeger's Monitor tab has latencies of the service", async () => {
    const latencies = await eventually(
      'Jaeger has points of the p95 latency',
      () => stack.jaeger.latencies('loopwatch-demo', 0.95),
      (points) => points.some((latency) => latency > 0),
      { withinMs: 60_000 },
    );
    expect(latencies.length).toBeGreaterThan(0);
  });

  test("Jaeger's Monitor tab has them in milliseconds, as its page reads them", async () => {
    const service = new SyntheticService(stack.otlpUrl, 'monitored');
    const latencies = await eventually(
      'Jaeger has points of the p95 latency of requests that took 2 s',
      async () => {
        await service.sendBlockedRequest({ seconds: 2, functionName: 'slow' });
        return (await stack.jaeger.latencies('monitored', 0.95)).filter((latency) => latency > 0);
      },
      (points) => points.length > 0,
      { withinMs: 60_000, everyMs: 1_000 },
    );
    // Prometheus interpolates between the bounds of the bucket that contains all of them.
    for (const latency of latencies) {
      expect(latency).toBeGreaterThan(1_000);
      expect(latency).toBeLessThanOrEqual(2_500);
    }
  });

  describe('every expression', () => {
    beforeAll(async () => {
      await eventually(
        'Prometheus has evaluated the rule that it evaluates once a minute',
        () => stack.prometheus.sum('count(loopwatch:active_series:count)'),
        (count) => count > 0,
        { withinMs: 120_000, everyMs: 1_000 },
      );
      // Metrics that no healthy process has at this moment, by the names of the contract.
      const contract = new SyntheticService(stack.otlpUrl, 'contract');
      const gauges = {
        [semconv.METRIC_EVENT_LOOP_STALLED]: 3,
        [semconv.METRIC_EVENT_LOOP_THREADS]: 4,
        [semconv.METRIC_EVENT_LOOP_UTILIZATION]: 0.5,
        [semconv.METRIC_EVENT_LOOP_THREAD_IDLE_AGE]: 12,
        [semconv.METRIC_LIBUV_THREAD_POOL_BUSY]: 1,
      };
      await contract.exportMetrics(gauges);
      // And an application that chose exponential histograms. Twice: a rate needs two samples.
      const native = new SyntheticService(stack.otlpUrl, 'contract-native', 'native');
      for (const functionName of ['first', 'second']) {
        native.recordBlock(2, functionName);
        native.recordPoolWaits([2]);
        await native.exportMetrics();
        await sleep(100); // two samples of one time are one
      }
      // And one whose functions the spans name alone, as in a fleet whose gateways sum up. Twice, for the same reason.
      const summed = new SyntheticService(stack.otlpUrl, 'contract-fleet');
      const blocksOf = async (count: number) => {
        await summed.sendBlockSpan({ seconds: 2, functionName: 'summed' });
        await eventually(
          `Prometheus has ${count} blocks of the fleet`,
          () => stack.prometheus.sum('sum(culprit:event_loop_blocks:sum{service_name="contract-fleet"})'),
          (blocks) => blocks === count,
          { withinMs: 60_000, everyMs: 1_000 },
        );
      };
      await blocksOf(1);
      await blocksOf(2);
      await eventually(
        'Prometheus has the line of its culprit',
        () => stack.prometheus.sum('count(line:event_loop_last_blocked:timestamp{service_name="contract-fleet"})'),
        (count) => count > 0,
        { withinMs: 90_000, everyMs: 1_000 },
      );
      await eventually(
        'Prometheus has the gauges and an alert that has fired',
        async () => [
          await stack.prometheus.sum('count({service_name="contract"})'),
          // In the time that the dashboards are asked for: it may be over.
          await stack.prometheus.sum('count(last_over_time(ALERTS{alertstate="firing"}[4m]))'),
          await stack.prometheus.sum('count(event_loop_lag_seconds)'),
        ],
        (counts) => counts.every((count) => count > 0),
      );
    });

    test.each(dashboardQueries())('of the dashboards returns data: $where', async ({ expr }) => {
      const concrete = expr
        .replaceAll('$__rate_interval', '1m')
        .replaceAll('$__range', '10m')
        .replaceAll(/\$(service|instance)\b/g, '.+');
      expect(await stack.prometheus.rangeSeriesCount(concrete, 5)).toBeGreaterThan(0);
    });

    test.each([...dashboardQueries(), ...ruleQueries()])('asks for series that exist: $where', async ({ expr }) => {
      const concrete = expr.replaceAll(/\$__\w+/g, '1m').replaceAll(/\$(service|instance)\b/g, '.+');
      const selectors = await stack.prometheus.selectorsOf(concrete);
      expect(selectors.length).toBeGreaterThan(0);
      for (const selector of selectors.filter((each) => !notInDemo.some((absent) => absent.test(each)))) {
        // Some rules are evaluated each half minute, and those that read their results half a minute later.
        await eventually(
          `Prometheus has data of ${selector}`,
          () => stack.prometheus.sum(`count(last_over_time(${selector}[15m]))`),
          (count) => count > 0,
          { withinMs: 90_000, everyMs: 1_000 },
        );
      }
    });

    test('of the rules is evaluated without an error', async () => {
      expect(await stack.prometheus.failedRules()).toEqual([]);
    });
  });

  test('after one real block, the lag alert is pending, names the culprit when it fires, and is resolved', async () => {
    const lagAlert = async () =>
      (await stack.prometheus.alerts()).find(
        ({ labels }) => labels['alertname'] === 'EventLoopLagHigh' && labels['service_name'] === 'loopwatch-demo',
      );
    const state = async () => (await lagAlert())?.state ?? 'inactive';
    await eventually('the alert of the traffic is over', state, (now) => now === 'inactive', {
      withinMs: 120_000,
    });

    await demo.blockFor(1000);

    const seen = new Set<string>();
    const firing = await eventually(
      'the lag alert fires',
      async () => {
        const alert = await lagAlert();
        seen.add(alert?.state ?? 'inactive');
        return alert;
      },
      (alert) => alert?.state === 'firing',
      { withinMs: 60_000 },
    );
    expect(seen).toContain('pending');
    expect(firing?.labels).toMatchObject({ severity: 'warning', thread_name: 'main' });
    expect(firing?.annotations['description']).toContain('createSpans');
    await eventually('the lag alert is resolved', state, (now) => now === 'inactive', { withinMs: 120_000 });
  });

  test('a collector that is down neither slows nor stops the application', async () => {
    const before = await fastRequests();
    await stack.killProgram('collector');
    const during = await fastRequests();
    await stack.startProgram('collector');
    expect([...before, ...during].map(({ status }) => status)).toEqual(
      new Array(before.length + during.length).fill(200),
    );
    expect(median(during)).toBeLessThan(10 * median(before) + 50);

    const { traceId } = await demo.request('GET', '/runs/1/trace');
    await eventually(
      'the next block is in Jaeger again',
      () => stack.jaeger.trace(traceId),
      (spans) => spans.some(({ name }) => name === semconv.SPAN_EVENT_LOOP_BLOCKED),
    );
  });

  async function fastRequests(): Promise<{ status: number; durationMs: number }[]> {
    const results = [];
    for (let index = 0; index < 300; index++) {
      const startMs = performance.now();
      const { status } = await demo.request('GET', '/projects');
      results.push({ status, durationMs: performance.now() - startMs });
    }
    return results;
  }
});

function median(results: readonly { durationMs: number }[]): number {
  return results.map(({ durationMs }) => durationMs).sort((left, right) => left - right)[
    Math.floor(results.length / 2)
  ]!;
}

function ancestorsOf(span: JaegerSpan, trace: readonly JaegerSpan[]): JaegerSpan[] {
  const ancestors: JaegerSpan[] = [];
  let current: JaegerSpan | undefined = span;
  while (current !== undefined && ancestors.length < trace.length) {
    const parentId: string = current.parentSpanId;
    current = trace.find(({ spanId }) => spanId === parentId);
    if (current !== undefined) ancestors.push(current);
  }
  return ancestors;
}
