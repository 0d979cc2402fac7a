import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { conventions, prometheusLabel, prometheusMetric } from '@loopwatch/conventions';
import {
  ATTR_BLOCKED_PENDING,
  ATTR_LIBUV_THREAD_POOL_HOLDERS,
  ATTR_LIBUV_THREAD_POOL_QUEUED,
  ATTR_LIBUV_THREAD_POOL_SIZE,
  SCOPE_NAME,
  SPAN_EVENT_LOOP_BLOCKED,
  SPAN_EVENT_LOOP_SATURATED,
  SPAN_LIBUV_THREAD_POOL_STARVED,
} from '@loopwatch/instrumentation-event-loop/semconv';

import { Demo } from '../src/services/demo.ts';
import {
  laneAttributes,
  newSpanId,
  newTraceId,
  SPAN_KIND_INTERNAL,
  SyntheticService,
} from '../src/services/synthetic-service.ts';
import { eventually } from '../src/eventually.ts';
import type { JaegerSpan } from '../src/backends/jaeger.ts';
import { runWaitingProgram } from '../src/services/waiting-program.ts';
import { TestStack } from '../src/test-stack.ts';

const service = 'conventions';
/** The pattern of the tag check backtracks for minutes on this text. */
const endlessTag = `${'a'.repeat(40)}.`;

/** Jaeger adds this one when it answers, for example where the parent of a span has not arrived. */
const attributeOfJaeger = '@jaeger@warnings';
/** Labels that Prometheus makes of the name, of the buckets, and of the resource as its configuration says. */
const labelsOfPrometheus = [
  '__name__',
  'le',
  'job',
  'instance',
  'service_name',
  'service_instance_id',
  'service_version',
  'host_name',
];

/** Numbers of the kinds in OTLP. */
const spanKinds: Readonly<Record<string, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 };

/** Metrics of the registry by their names in Prometheus, with the parts of a classic histogram. */
const metricsInPrometheus = new Map(
  conventions.metrics.flatMap((metric) =>
    ['', ...(metric.instrument === 'histogram' ? ['_bucket', '_sum', '_count'] : [])].map(
      (part) => [prometheusMetric(metric) + part, metric] as const,
    ),
  ),
);

type Series = Readonly<Record<string, string>>;

// A stack of its own: a shorter traffic than that of the other files contains all names, and one service sends them.
describe('the registry and the names that arrive', () => {
  let stack: TestStack;
  let demo: Demo;
  let spans: readonly JaegerSpan[] = [];
  let series: readonly Series[] = [];

  beforeAll(async () => {
    stack = await TestStack.start();
    demo = await Demo.start(stack, {
      OTEL_SERVICE_NAME: service,
      DEMO_HANG_ROUTE: '1',
      LOOPWATCH_HANG_THRESHOLD_MS: '2000',
    });
    // A loop must be busy for ten seconds. First: a thread has one such span a minute, and the traffic may saturate it too.
    await demo.saturate(14);
    // Blocks, requests that wait for them, and a worker thread that sleeps with pending work until the next task.
    await Promise.all([demo.traffic(stack, 12), sleepingWorker()]);
    await Promise.all([fullPool(), slowLookups()]);
    await runWaitingProgram(stack, service);
    const hanging = demo.request('GET', `/tags/check?tag=${endlessTag}`).catch(() => undefined);
    await eventually(
      'all names of the registry have arrived',
      async () => {
        // The newest thousand traces, and the span that is older.
        const saturated = await stack.jaeger.spansNamed(service, SPAN_EVENT_LOOP_SATURATED);
        const found = [...(await stack.jaeger.search(service)), ...saturated];
        spans = [...new Map(found.map((span) => [span.spanId, span])).values()];
        const samples = await stack.prometheus.query(`{__name__=~"(event_loop|libuv)_.+", service_name="${service}"}`);
        series = samples.map(({ metric }) => metric);
        return missing();
      },
      (names) => names.length === 0,
      { withinMs: 60_000, everyMs: 1_000 },
    ).catch(() => undefined); // The first test names what is missing; the others check what has arrived.
    await demo.stop('SIGKILL');
    await hanging;
  });

  afterAll(async () => {
    await demo.stop('SIGKILL');
    await stack.stop();
  });

  test('every span, attribute, metric and label of the registry has arrived', () => {
    expect(missing()).toEqual([]);
  });

  test('the spans of the scope are those of the registry', () => {
    const names = new Set(spans.filter(({ scope }) => scope === SCOPE_NAME).map(({ name }) => name));
    expect([...names].sort()).toEqual(conventions.spans.map(({ name }) => name).sort());
  });

  test.each(conventions.spans)(
    '$name has the kind and the attributes of the registry, and all that are required',
    (span) => {
      const arrived = spans.filter(({ name }) => name === span.name);
      const known = [...span.attributes.map(({ name }) => name), attributeOfJaeger];
      const names = new Set(arrived.flatMap(({ attributes }) => Object.keys(attributes)));
      expect([...names].filter((name) => !known.includes(name))).toEqual([]);
      const required = requiredNames(span.attributes);
      expect(arrived.flatMap(({ attributes }) => required.filter((name) => !(name in attributes)))).toEqual([]);
      expect([...new Set(arrived.map(({ kind }) => kind))]).toEqual([spanKinds[span.kind]]);
    },
  );

  test('the values of attributes have the types of the registry, and its members where it lists them', () => {
    const byName = new Map(conventions.attributes.map((attribute) => [attribute.name, attribute]));
    const wrong = spans
      .flatMap(({ attributes }) => Object.entries(attributes))
      .filter(([name, value]) => {
        const attribute = byName.get(name);
        if (attribute === undefined) return false;
        const { type, members } = attribute;
        if (type === 'enum') return !members.some((member) => member.value === value);
        if (type === 'int') return !Number.isInteger(value);
        // Jaeger stores a list as JSON text.
        return type === 'double' ? typeof value !== 'number' : typeof value !== 'string';
      });
    expect(wrong).toEqual([]);
  });

  test('spans of other instrumentations have no attribute of the registry but that of a delayed span', () => {
    const delayed = conventions.victimAttributes.map(({ name }) => name);
    const others = spans.filter(({ scope }) => scope !== SCOPE_NAME);
    expect(others.length).toBeGreaterThan(0);
    const names = others.flatMap(({ attributes }) => Object.keys(attributes));
    expect(names.filter((name) => /^(event_loop|libuv)\./.test(name) && !delayed.includes(name))).toEqual([]);
  });

  test('Prometheus has no metric and no label that the registry does not have', () => {
    const unknown = series.flatMap(({ __name__: name = '', ...labels }) => {
      const known = metricsInPrometheus.get(name)?.attributes.map((attribute) => prometheusLabel(attribute.name));
      if (known === undefined) return [name];
      return Object.keys(labels)
        .filter((label) => !known.includes(label) && !labelsOfPrometheus.includes(label))
        .map((label) => `${name}{${label}}`);
    });
    expect([...new Set(unknown)]).toEqual([]);
  });

  test('every series has the labels that the registry requires', () => {
    const incomplete = series.flatMap((labels) => {
      const name = labels['__name__'] ?? '';
      return requiredNames(metricsInPrometheus.get(name)?.attributes ?? [])
        .filter((attribute) => labels[prometheusLabel(attribute)] === undefined)
        .map((attribute) => `${name}{${attribute}}`);
    });
    expect([...new Set(incomplete)]).toEqual([]);
  });

  async function sleepingWorker(): Promise<void> {
    await demo.request('POST', '/runs/1/export?piscina=5');
    await sleep(2_000);
    await eventually(
      'Jaeger has a block with pending work',
      async () => {
        // A task wakes the thread, which ends the block. The next task lets the thread export the block's span.
        await demo.request('POST', '/runs/1/export?fixed=1&piscina=5');
        return stack.jaeger.spansNamed(service, SPAN_EVENT_LOOP_BLOCKED);
      },
      (blocks) => blocks.some(({ attributes }) => attributes[ATTR_BLOCKED_PENDING] !== undefined),
      { withinMs: 60_000, everyMs: 1_500 },
    );
  }

  async function fullPool(): Promise<void> {
    await eventually(
      'Jaeger has a wait for the pool, and the lookups that waited',
      async () => {
        // Of several waits within ten seconds, the first alone has a span.
        await demo.fillPool();
        return stack.jaeger.spansNamed(service, SPAN_LIBUV_THREAD_POOL_STARVED);
      },
      (waits) => waits.some(({ attributes }) => attributes[ATTR_LIBUV_THREAD_POOL_QUEUED] !== undefined),
      { withinMs: 60_000, everyMs: 1_000 },
    );
  }

  /** A process whose lookups wait for a slow name server, which only the machine's administrator can set. */
  async function slowLookups(): Promise<void> {
    const synthetic = new SyntheticService(stack.otlpUrl, service);
    const endTimeMs = Date.now();
    await synthetic.sendSpans([
      {
        traceId: newTraceId(),
        spanId: newSpanId(),
        name: SPAN_LIBUV_THREAD_POOL_STARVED,
        kind: SPAN_KIND_INTERNAL,
        startTimeMs: endTimeMs - 3000,
        endTimeMs,
        attributes: {
          ...laneAttributes('slow_io'),
          [ATTR_LIBUV_THREAD_POOL_SIZE]: 4,
          [ATTR_LIBUV_THREAD_POOL_HOLDERS]: ['poll×2'],
        },
      },
    ]);
    synthetic.recordPoolWaits([3], 'slow_io');
    await synthetic.exportMetrics();
  }

  /** Names of spans, attributes, metrics, and labels of metrics in the registry that have not arrived. */
  function missing(): string[] {
    const arrived = new Set(spans.flatMap(({ name, attributes }) => [name, ...Object.keys(attributes)]));
    const ofSpans = conventions.spans.flatMap(({ name, attributes }) => [name, ...attributes.map((each) => each.name)]);
    const expected = [...ofSpans, ...conventions.victimAttributes.map(({ name }) => name)];
    return [...new Set(expected)].filter((name) => !arrived.has(name)).concat(missingInPrometheus());
  }

  function missingInPrometheus(): string[] {
    return conventions.metrics.flatMap((metric) => {
      const found = series.filter(({ __name__: name = '' }) => metricsInPrometheus.get(name) === metric);
      if (found.length === 0) return [metric.name];
      return metric.attributes
        .filter(({ name }) => !found.some((labels) => labels[prometheusLabel(name)] !== undefined))
        .map(({ name }) => `${metric.name}{${name}}`);
    });
  }
});

function requiredNames(attributes: (typeof conventions.metrics)[number]['attributes']): string[] {
  return attributes.filter(({ requirementLevel }) => requirementLevel === 'required').map(({ name }) => name);
}
