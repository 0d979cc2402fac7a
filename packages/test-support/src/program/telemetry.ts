import { existsSync, readFileSync } from 'node:fs';

export type AttributeValue = string | number | boolean | readonly string[] | undefined;
export type Attributes = Readonly<Record<string, AttributeValue>>;

export interface SpanRecord {
  readonly type: 'span';
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** Seconds since the epoch and nanoseconds. */
  readonly startTime: readonly [number, number];
  readonly endTime: readonly [number, number];
  /** When it started and ended by a clock of its own, read once each; absent where the program has an exporter of its own. */
  readonly open?: { readonly startEpochMs: number; readonly endEpochMs: number };
  readonly attributes: Attributes;
  readonly links: readonly { readonly traceId: string; readonly spanId: string; readonly attributes: Attributes }[];
  readonly statusCode: number;
  readonly scope: string;
  readonly resource: Attributes;
}

export interface HistogramValue {
  readonly min?: number;
  readonly max?: number;
  readonly sum: number;
  readonly count: number;
  readonly buckets: { readonly boundaries: readonly number[]; readonly counts: readonly number[] };
}

export interface MetricRecord {
  readonly type: 'metric';
  readonly scope: string;
  readonly name: string;
  readonly unit: string;
  readonly dataPoints: readonly { readonly attributes: Attributes; readonly value: number | HistogramValue }[];
}

/** A block, as the program itself measured it, with the span that was active at its start. */
export interface TruthRecord {
  readonly type: 'truth';
  readonly id: string;
  readonly threadId: number;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly startEpochMs: number;
  readonly endEpochMs: number;
  /** By the program's `performance.now()`. */
  readonly startNowMs: number;
  readonly endNowMs: number;
  /** Time of the thread on a CPU meanwhile, in ms; absent where the system does not report it. */
  readonly cpuMs?: number;
  /** Time that the thread waited for a CPU meanwhile, in ms; absent where the system does not report it. */
  readonly runQueueMs?: number;
}

export interface NoteRecord {
  readonly type: 'note';
  readonly key: string;
  readonly value: unknown;
}

export interface DiagRecord {
  readonly type: 'diag';
  readonly level: 'error' | 'warn' | 'info';
  readonly message: string;
}

type OutputRecord = SpanRecord | MetricRecord | TruthRecord | NoteRecord | DiagRecord;

/** Everything that a program and its telemetry wrote, by kind, in the order in which it was written. */
export interface Telemetry {
  readonly spans: readonly SpanRecord[];
  readonly metrics: readonly MetricRecord[];
  readonly truths: readonly TruthRecord[];
  readonly notes: ReadonlyMap<string, unknown>;
  readonly diags: readonly DiagRecord[];
}

export function readTelemetry(file: string): Telemetry {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const records = lines.map((line) => JSON.parse(line) as OutputRecord);
  return {
    spans: records.filter((record) => record.type === 'span'),
    metrics: records.filter((record) => record.type === 'metric'),
    truths: records.filter((record) => record.type === 'truth'),
    notes: new Map(records.filter((record) => record.type === 'note').map(({ key, value }) => [key, value])),
    diags: records.filter((record) => record.type === 'diag'),
  };
}

export function epochMs([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1e3 + nanoseconds / 1e6;
}

export function durationMs(span: SpanRecord): number {
  return epochMs(span.endTime) - epochMs(span.startTime);
}

/** The `event-loop-blocked` spans. */
export function blockedSpans(telemetry: Telemetry): SpanRecord[] {
  return telemetry.spans.filter(({ name }) => name === 'event-loop-blocked');
}

/** Merges the data points of a histogram over its attributes. */
export function histogram(telemetry: Telemetry, name: string): HistogramValue | undefined {
  const values = telemetry.metrics
    .filter((metric) => metric.name === name)
    .flatMap((metric) => metric.dataPoints.map(({ value }) => value as HistogramValue));
  if (values.length === 0) return undefined;
  return values.reduce((total, value) => ({
    sum: total.sum + value.sum,
    count: total.count + value.count,
    buckets: {
      boundaries: total.buckets.boundaries,
      counts: total.buckets.counts.map((count, index) => count + value.buckets.counts[index]!),
    },
  }));
}
