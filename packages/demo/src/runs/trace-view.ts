import type { Log } from './logs.js';

/** A log as the trace view shows it: below its parent, shifted by the time since the start of the parent. */
export interface TraceSpan {
  readonly spanId: string;
  /** Absent for a root, and for a log whose parent is not in the view. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly level: Log['level'];
  readonly offsetMs: number;
  readonly durationMs: number;
}

/** The spans of a run's trace. Searches all logs for the parent of each log: n² comparisons. */
export function createSpans(logs: readonly Log[]): TraceSpan[] {
  const spans: TraceSpan[] = [];
  for (const log of logs) {
    const parent = logs.find((candidate) => candidate.spanId === log.parentSpanId);
    spans.push(createSpan(log, parent));
  }
  return spans;
}

/** The fixed variant: finds each parent in an index. */
export function createSpansByIndex(logs: readonly Log[]): TraceSpan[] {
  const logsBySpanId = new Map<string | null, Log>();
  for (const log of logs) {
    // When two logs have the same span id, the first one counts, as with `find`.
    if (!logsBySpanId.has(log.spanId)) logsBySpanId.set(log.spanId, log);
  }
  return logs.map((log) => createSpan(log, logsBySpanId.get(log.parentSpanId)));
}

function createSpan(log: Log, parent: Log | undefined): TraceSpan {
  return {
    spanId: log.spanId,
    parentSpanId: parent?.spanId,
    name: log.message,
    level: log.level,
    offsetMs: log.startedAt - (parent ?? log).startedAt,
    durationMs: log.durationMs,
  };
}
