import { randomBytes } from 'node:crypto';

import * as semconv from '@loopwatch/instrumentation-event-loop/semconv';

import { keyValues, type AttributeValue } from '../otlp-values.ts';

type Attributes = Readonly<Record<string, AttributeValue>>;

export interface SyntheticSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeMs: number;
  readonly endTimeMs: number;
  readonly attributes?: Attributes;
  readonly isError?: boolean;
}

export const SPAN_KIND_INTERNAL = 1;
export const SPAN_KIND_SERVER = 2;

const boundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * A service that sends exactly what a test gives it, in OTLP/HTTP JSON with the names of the contract. For telemetry
 * that a real process cannot produce on demand: thousands of traces, a lag of ten seconds at once, many spans during a
 * fault.
 */
export class SyntheticService {
  readonly name: string;
  readonly instanceId = `synthetic:${randomBytes(4).toString('hex')}`;
  readonly #otlpUrl: string;
  readonly #startTimeMs = Date.now();
  /** All lags, waits for libuv's pool and block durations so far, in seconds, by attributes: the SDK exports cumulative values too. */
  readonly #lags: number[] = [];
  readonly #busySeconds: { readonly attributes: Attributes; readonly seconds: number }[] = [];
  readonly #poolWaits = new Map<'any' | 'slow_io', number[]>();
  readonly #blocks = new Map<string, { readonly attributes: Attributes; readonly seconds: number[] }>();

  /** `native` means exponential buckets, which applications can choose and Prometheus keeps as native histograms. */
  readonly #histograms: 'classic' | 'native';

  /** `service.version`; absent: not sent. */
  readonly #version: string | undefined;

  constructor(otlpUrl: string, name: string, histograms: 'classic' | 'native' = 'classic', version?: string) {
    this.#version = version;
    this.#otlpUrl = otlpUrl;
    this.name = name;
    this.#histograms = histograms;
  }

  /** Sends a SERVER span with a block as its child. Returns the ids of the trace and of the block's span. */
  async sendBlockedRequest(options: {
    seconds: number;
    functionName: string;
  }): Promise<{ traceId: string; spanId: string }> {
    const block = await this.sendBlockSpan(options);
    this.recordBlock(options.seconds, options.functionName);
    return block;
  }

  /** The same without metrics of the process. */
  async sendBlockSpan(options: {
    seconds: number;
    functionName: string;
  }): Promise<{ traceId: string; spanId: string }> {
    const endTimeMs = Date.now();
    const startTimeMs = endTimeMs - options.seconds * 1000;
    const traceId = newTraceId();
    const requestId = newSpanId();
    const spanId = newSpanId();
    const block = blockAttributes(options.functionName);
    await this.sendSpans([
      {
        traceId,
        spanId: requestId,
        name: 'GET /report',
        kind: SPAN_KIND_SERVER,
        startTimeMs: startTimeMs - 2,
        endTimeMs,
      },
      {
        traceId,
        spanId,
        parentSpanId: requestId,
        name: semconv.SPAN_EVENT_LOOP_BLOCKED,
        kind: SPAN_KIND_INTERNAL,
        startTimeMs,
        endTimeMs,
        attributes: block,
      },
    ]);
    return { traceId, spanId };
  }

  /** Sends the report of a hang as a trace of its own, and returns the id of its span. */
  async sendHang(functionName: string): Promise<string> {
    const endTimeMs = Date.now();
    const spanId = newSpanId();
    await this.sendSpans([
      {
        traceId: newTraceId(),
        spanId,
        name: semconv.SPAN_EVENT_LOOP_HANG,
        kind: SPAN_KIND_INTERNAL,
        startTimeMs: endTimeMs - 5000,
        endTimeMs,
        attributes: blockAttributes(functionName),
      },
    ]);
    return spanId;
  }

  async sendSpans(spans: readonly SyntheticSpan[]): Promise<void> {
    await this.#post('/v1/traces', {
      resourceSpans: [
        {
          resource: this.#resource(),
          scopeSpans: [{ scope: { name: semconv.SCOPE_NAME }, spans: spans.map(otlpSpan) }],
        },
      ],
    });
  }

  recordLags(...seconds: readonly number[]): void {
    this.#lags.push(...seconds);
  }

  /** Waits of all tasks or, in the lane `slow_io`, of lookups; 0 where a thread was free. */
  recordPoolWaits(seconds: readonly number[], lane: 'any' | 'slow_io' = 'any'): void {
    this.#poolWaits.set(lane, [...(this.#poolWaits.get(lane) ?? []), ...seconds]);
  }

  /** Busy time of the main thread's loop in a request and a function. */
  recordBusyTime(seconds: number, request: string, functionName: string): void {
    const attributes = {
      [semconv.ATTR_THREAD_NAME]: 'main',
      [semconv.ATTR_REQUEST]: request,
      [semconv.ATTR_CODE_FUNCTION_NAME]: functionName,
    };
    this.#busySeconds.push({ attributes, seconds });
  }

  recordBlock(seconds: number, functionName: string): void {
    this.#lags.push(seconds);
    const attributes = {
      [semconv.ATTR_BLOCKED_CAUSE]: 'javascript',
      [semconv.ATTR_THREAD_NAME]: 'main',
      [semconv.ATTR_CODE_FUNCTION_NAME]: functionName,
    };
    const blocks = this.#blocks.get(functionName) ?? { attributes, seconds: new Array<number>() };
    blocks.seconds.push(seconds);
    this.#blocks.set(functionName, blocks);
  }

  /** Exports everything recorded so far at once, with the given gauges. */
  async exportMetrics(gauges: Readonly<Record<string, number>> = {}): Promise<void> {
    const thread = { [semconv.ATTR_THREAD_NAME]: 'main' };
    await this.#post('/v1/metrics', {
      resourceMetrics: [
        {
          resource: this.#resource(),
          scopeMetrics: [
            {
              scope: { name: semconv.SCOPE_NAME },
              metrics: [
                this.#histogram(semconv.METRIC_EVENT_LOOP_LAG, [{ attributes: thread, seconds: this.#lags }]),
                this.#histogram(semconv.METRIC_EVENT_LOOP_BLOCKED_DURATION, [...this.#blocks.values()]),
                this.#runQueueTime(),
                this.#counter(semconv.METRIC_EVENT_LOOP_BUSY_TIME, this.#busySeconds),
                this.#histogram(semconv.METRIC_LIBUV_THREAD_POOL_QUEUE_WAIT, this.#waitsByLane()),
                this.#histogram('v8js.gc.duration', [{ attributes: { 'v8js.gc.type': 'minor' }, seconds: [0.002] }]),
                ...Object.entries(gauges).map(([name, value]) =>
                  this.#gauge(name, value, name === semconv.METRIC_LIBUV_THREAD_POOL_BUSY ? {} : thread),
                ),
              ].filter(hasPoints),
            },
          ],
        },
      ],
    });
  }

  #waitsByLane(): { attributes: Attributes; seconds: readonly number[] }[] {
    return [...this.#poolWaits].map(([lane, seconds]) => ({ attributes: laneAttributes(lane), seconds }));
  }

  #histogram(name: string, series: readonly { attributes: Attributes; seconds: readonly number[] }[]): object {
    // One time for all points of a collection, as the SDK does.
    const timeMs = Date.now();
    const dataPoints = series.map(({ attributes, seconds }) => ({
      attributes: keyValues(attributes),
      startTimeUnixNano: nanos(this.#startTimeMs),
      timeUnixNano: nanos(timeMs),
      count: String(seconds.length),
      sum: seconds.reduce((sum, each) => sum + each, 0),
      ...(this.#histograms === 'classic' ? explicitBuckets(seconds) : exponentialBuckets(seconds)),
    }));
    const kind = this.#histograms === 'classic' ? 'histogram' : 'exponentialHistogram';
    return { name, unit: 's', [kind]: { aggregationTemporality: 2, dataPoints } };
  }

  /** No block has waited for a CPU. */
  #runQueueTime(): object {
    const series = [...this.#blocks.values()].map(({ attributes }) => ({ attributes, seconds: 0 }));
    return this.#counter(semconv.METRIC_EVENT_LOOP_BLOCKED_RUN_QUEUE_TIME, series);
  }

  #counter(name: string, series: readonly { readonly attributes: Attributes; readonly seconds: number }[]): object {
    const timeMs = Date.now();
    const dataPoints = series.map(({ attributes, seconds }) => ({
      attributes: keyValues(attributes),
      startTimeUnixNano: nanos(this.#startTimeMs),
      timeUnixNano: nanos(timeMs),
      asDouble: seconds,
    }));
    return { name, unit: 's', sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints } };
  }

  #gauge(name: string, value: number, attributes: Attributes): object {
    const unit = gaugeUnits[name];
    if (unit === undefined) throw new Error(`Expected one of ${Object.keys(gaugeUnits).join(', ')}, got ${name}.`);
    const dataPoints = [{ attributes: keyValues(attributes), timeUnixNano: nanos(Date.now()), asDouble: value }];
    return { name, unit, gauge: { dataPoints } };
  }

  #resource(): object {
    const version: Attributes = this.#version === undefined ? {} : { 'service.version': this.#version };
    return {
      attributes: keyValues({ 'service.name': this.name, 'service.instance.id': this.instanceId, ...version }),
    };
  }

  async #post(path: string, body: object): Promise<void> {
    const response = await fetch(this.#otlpUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`Expected the collector to accept ${path}, got ${response.status}: ${answer}`);
  }
}

/** As the SDK does: it exports no metric without points. */
function hasPoints(metric: object): boolean {
  return Object.values(metric).some(
    (data) => ((data as { dataPoints?: readonly object[] }).dataPoints ?? []).length > 0,
  );
}

/** Gauges of the contract and of runtime-node, with their units. */
const gaugeUnits: Readonly<Record<string, string>> = {
  [semconv.METRIC_EVENT_LOOP_STALLED]: 's',
  [semconv.METRIC_EVENT_LOOP_THREADS]: '{thread}',
  [semconv.METRIC_EVENT_LOOP_UTILIZATION]: '1',
  [semconv.METRIC_EVENT_LOOP_THREAD_IDLE_AGE]: 's',
  [semconv.METRIC_LIBUV_THREAD_POOL_BUSY]: '1',
};

export function laneAttributes(lane: 'any' | 'slow_io'): Attributes {
  return lane === 'any' ? {} : { [semconv.ATTR_LIBUV_THREAD_POOL_LANE]: lane };
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

export function blockAttributes(functionName: string): Attributes {
  return {
    [semconv.ATTR_BLOCKED_CAUSE]: 'javascript',
    [semconv.ATTR_BLOCKED_STACK_QUALITY]: 'live',
    [semconv.ATTR_BLOCKED_SAMPLE_COUNT]: 7,
    [semconv.ATTR_CODE_FUNCTION_NAME]: functionName,
    [semconv.ATTR_CODE_FILE_PATH]: '/app/report.js',
    [semconv.ATTR_CODE_LINE_NUMBER]: 42,
    [semconv.ATTR_CODE_COLUMN_NUMBER]: 7,
    [semconv.ATTR_THREAD_ID]: 0,
    [semconv.ATTR_THREAD_NAME]: 'main',
  };
}

function otlpSpan(span: SyntheticSpan): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: nanos(span.startTimeMs),
    endTimeUnixNano: nanos(span.endTimeMs),
    attributes: keyValues(span.attributes ?? {}),
    ...(span.isError === true ? { status: { code: 2 } } : {}),
  };
}

function explicitBuckets(seconds: readonly number[]): object {
  const counts = new Array<number>(boundaries.length + 1).fill(0);
  for (const each of seconds) {
    const index = boundaries.findIndex((boundary) => each <= boundary);
    counts[index === -1 ? boundaries.length : index]! += 1;
  }
  return { explicitBounds: boundaries, bucketCounts: counts.map(String) };
}

/** At scale 0, bucket i holds values above 2^i and up to 2^(i+1). */
function exponentialBuckets(seconds: readonly number[]): object {
  const indexes = seconds.filter((each) => each > 0).map((each) => Math.ceil(Math.log2(each)) - 1);
  const zeroCount = String(seconds.length - indexes.length);
  if (indexes.length === 0) return { scale: 0, zeroCount };
  const offset = Math.min(...indexes);
  const counts = new Array<number>(Math.max(...indexes) - offset + 1).fill(0);
  for (const index of indexes) counts[index - offset]! += 1;
  return { scale: 0, zeroCount, positive: { offset, bucketCounts: counts.map(String) } };
}

function nanos(epochMs: number): string {
  return String(BigInt(Math.round(epochMs * 1000)) * 1000n);
}
