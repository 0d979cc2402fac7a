import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { setImmediate as nextIteration } from 'node:timers/promises';

export interface Log {
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** ms since the Unix epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
}

const COLUMNS = `span_id AS spanId, parent_span_id AS parentSpanId, level, message, started_at AS startedAt,
  duration_ms AS durationMs`;

/** A page of this size is read in a few milliseconds. */
const PAGE_SIZE = 2000;

/** The newest logs of a run, oldest first. */
export function findLogs(reader: DatabaseSync, runId: number, limit: number): Log[] {
  const select = reader.prepare(
    `SELECT ${COLUMNS} FROM (SELECT * FROM logs WHERE run_id = ? ORDER BY id DESC LIMIT ?) ORDER BY id`,
  );
  return select.all(runId, limit).map(toPlainObject) as Log[];
}

/** The fixed variant: reads page by page, and lets other requests run between two pages. */
export async function findLogsInPages(reader: DatabaseSync, runId: number, limit: number): Promise<Log[]> {
  const range = reader
    .prepare(
      `SELECT min(id) AS first, max(id) AS last
       FROM (SELECT id FROM logs WHERE run_id = ? ORDER BY id DESC LIMIT ?)`,
    )
    .get(runId, limit) as { first: number | null; last: number | null };
  const select = reader.prepare(
    `SELECT id, ${COLUMNS} FROM logs WHERE run_id = ? AND id BETWEEN ? AND ? ORDER BY id LIMIT ${PAGE_SIZE}`,
  );
  const logs: Log[] = [];
  let next = range.first;
  while (next !== null && range.last !== null) {
    const page = select.all(runId, next, range.last).map(toPlainObject) as (Log & { id: number })[];
    logs.push(...page);
    if (page.length < PAGE_SIZE) break;
    next = page.at(-1)!.id + 1;
    await nextIteration();
  }
  return logs;
}

/** `node:sqlite` returns rows as objects in dictionary mode, whose properties are read ten times slower. */
function toPlainObject(row: Record<string, SQLOutputValue>): unknown {
  return { ...row };
}
