import { statSync } from 'node:fs';

import type { Block, Instance, LagPoint } from '../../model/types.js';
import { upsertBlock } from './blocks.js';
import { APPLICATION_ID, foreignDatabase, FORMAT_VERSION, inspectFile } from './file-header.js';
import { makeRoom, MAX_FILE_BYTES } from './file-limit.js';
import type { RowReader } from './kept-rows.js';
import { addLag } from './lag.js';
import { openSqlite, pragma, type Sqlite, type SqlValue } from './sqlite.js';
import { emptyChange, registerInstance, type Store } from './store.js';

/** One statement of a transaction. */
export interface Row {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The open SQLite file of `--keep`. Each function throws when the file cannot be read or written. */
export interface Database {
  /** Writes all rows, or none. Returns whether the oldest entries had to make room for them. */
  write(rows: Iterable<Row>): boolean;
  /** Loads what is not older than the store's retention. Returns how many entries of that are unusable. */
  restore(store: Store, read: RowReader, nowMs: number): number;
  /** Whether the path still leads to this file: it may have been removed or replaced. */
  isInPlace(): boolean;
  close(): void;
}

/** Text of the newest blocks, and of the newest lag, that a start loads at most. */
const MAX_RESTORED_CHARACTERS = 64 * 1024 * 1024;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS instances (id TEXT PRIMARY KEY, service TEXT, last_seen_ms REAL, data TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS blocks (
    id TEXT, instance TEXT, start_ms REAL, duration_ms REAL, cause TEXT, function TEXT, file TEXT, line INTEGER,
    request TEXT, thread TEXT, trace_id TEXT, data TEXT, PRIMARY KEY (instance, id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS blocks_by_start ON blocks (start_ms);
  CREATE INDEX IF NOT EXISTS blocks_by_id ON blocks (id);
  CREATE TABLE IF NOT EXISTS lag (instance TEXT, thread TEXT, start_ms REAL, end_ms REAL, data TEXT);
  CREATE INDEX IF NOT EXISTS lag_by_end ON lag (end_ms);
`;
const COLUMNS: Readonly<Record<string, string>> = {
  blocks: 'id,instance,start_ms,duration_ms,cause,function,file,line,request,thread,trace_id,data',
  instances: 'id,service,last_seen_ms,data',
  lag: 'instance,thread,start_ms,end_ms,data',
};

/**
 * Opens the file, or creates it for this user alone. A database of another program is left as it is. The journal is
 * SQLite's default, a rollback journal: the file is whole without others beside it, on each Node.js and file system.
 */
export function openDatabase(file: string, { readOnly = false, maxBytes = MAX_FILE_BYTES } = {}): Database {
  const { ino, dev } = inspectFile(file, { readOnly });
  const db = openSqlite(file, { readOnly });
  try {
    const isNew = db.all('SELECT name FROM sqlite_schema LIMIT 1').length === 0 && pragma(db, 'user_version') === 0;
    if (!isNew) expectOurs(db);
    const marks = `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT_VERSION};`;
    if (!readOnly) db.exec(`BEGIN IMMEDIATE; ${isNew ? marks : ''} ${SCHEMA} COMMIT`);
    return databaseOf(db, maxBytes, () => {
      const now = statSync(file, { throwIfNoEntry: false });
      return now?.ino === ino && now.dev === dev;
    });
  } catch (error) {
    closeQuietly(db);
    throw error;
  }
}

function expectOurs(db: Sqlite): void {
  const version = pragma(db, 'user_version');
  if (version > FORMAT_VERSION) throw new Error(`a newer loopwatch wrote it (format ${version})`);
  const isMarked = pragma(db, 'application_id') === APPLICATION_ID;
  const hasOurTables = Object.entries(COLUMNS).every(([table, columns]) => columnsOf(db, table) === columns);
  if (!isMarked && !hasOurTables) throw foreignDatabase();
}

function columnsOf(db: Sqlite, table: string): string {
  return db
    .all('SELECT name FROM pragma_table_info(?)', [table])
    .map(({ name }) => String(name))
    .join(',');
}

function databaseOf(db: Sqlite, maxBytes: number, isInPlace: () => boolean): Database {
  return {
    isInPlace,
    write(rows) {
      db.exec('BEGIN IMMEDIATE');
      try {
        for (const { sql, values } of rows) db.run(sql, values);
        const hasMadeRoom = makeRoom(db, maxBytes);
        db.exec('COMMIT');
        return hasMadeRoom;
      } catch (error) {
        rollBack(db);
        throw error;
      }
    },
    restore(store, read, nowMs) {
      const oldestMs = nowMs - store.limits.retentionMs;
      const change = emptyChange();
      const texts = newest(db, 'blocks', { column: 'start_ms', oldestMs, maxRows: store.limits.maxBlocks });
      const blocks = texts.flatMap((text) => read.block(text, nowMs) ?? []);
      for (const block of blocks) upsertBlock(store, block, change);
      const lagTexts = newest(db, 'lag', { column: 'end_ms', oldestMs, maxRows: -1 });
      const lag = lagTexts.flatMap((text) => read.lag(text, nowMs) ?? []);
      for (const point of lag) addLag(store, point, change);

      const seen = [...newestOf(blocks, change.lag)].sort((a, b) => b[1] - a[1]).slice(0, store.limits.maxInstances);
      for (const [id, lastMs] of seen) {
        const instance = read.instance(db.all('SELECT data FROM instances WHERE id = ?', [id])[0]?.data);
        if (instance) registerInstance(store, instance, Math.min(nowMs, lastMs), change);
      }
      return texts.length - blocks.length + lagTexts.length - lag.length;
    },
    close() {
      db.close();
    },
  };
}

interface Newest {
  readonly column: string;
  readonly oldestMs: number;
  /** -1: any number */
  readonly maxRows: number;
}

/** The newest entries, oldest first, within the limits. */
function newest(db: Sqlite, table: string, { column, oldestMs, maxRows }: Newest): unknown[] {
  const candidates = `SELECT data, ${column} AS ms FROM ${table} WHERE ${column} >= ? ORDER BY ${column} DESC LIMIT ?`;
  const sized = `SELECT data, ms, sum(length(data)) OVER (ORDER BY ms DESC ROWS UNBOUNDED PRECEDING) AS size FROM (${candidates})`;
  return db
    .all(`SELECT data FROM (${sized}) WHERE size <= ? ORDER BY ms`, [oldestMs, maxRows, MAX_RESTORED_CHARACTERS])
    .map(({ data }) => data);
}

/** The end of each instance's newest data. */
function newestOf(blocks: readonly Block[], lag: readonly LagPoint[]): Map<string, number> {
  const newest = new Map<string, number>();
  const note = (instance: string, endMs: number): void => {
    newest.set(instance, Math.max(newest.get(instance) ?? 0, endMs));
  };
  for (const { instance, startMs, durationMs } of blocks) note(instance, startMs + durationMs);
  for (const { instance, endMs } of lag) note(instance, endMs);
  return newest;
}

export function instanceRow(instance: Instance, nowMs: number): Row {
  return {
    sql: 'INSERT OR REPLACE INTO instances VALUES (?, ?, ?, ?)',
    values: [instance.id, instance.service, nowMs, JSON.stringify(instance)],
  };
}

export function blockRow(block: Block): Row {
  const { culprit } = block;
  return {
    sql: 'INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    values: [
      block.id,
      block.instance,
      block.startMs,
      block.durationMs,
      block.cause,
      culprit?.functionName ?? null,
      culprit?.filePath ?? null,
      culprit?.lineNumber ?? null,
      block.request ?? null,
      block.threadName,
      block.traceId ?? null,
      JSON.stringify(block),
    ],
  };
}

export function removalRow(blockId: string): Row {
  return { sql: 'DELETE FROM blocks WHERE id = ?', values: [blockId] };
}

export function lagRow(point: LagPoint): Row {
  return {
    sql: 'INSERT INTO lag VALUES (?, ?, ?, ?, ?)',
    values: [point.instance, point.threadName, point.startMs, point.endMs, JSON.stringify(point)],
  };
}

/** After some errors SQLite has done it already. */
function rollBack(db: Sqlite): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // No transaction is active.
  }
}

/** The error that led here says what is wrong. */
function closeQuietly(db: Sqlite): void {
  try {
    db.close();
  } catch {
    // An open statement.
  }
}
