import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';

import type { Block, Instance, LagPoint } from '../../model/types.js';
import { upsertBlock } from './blocks.js';
import { addLag } from './lag.js';
import { type Change, emptyChange, registerInstance, type Store } from './store.js';

/** The SQLite file of `--keep`: stores blocks, lag and instances for the next start. */
export interface Database {
  /** Queues the change for the next `flush`. */
  add(change: Change): void;
  /** Writes queued changes in one transaction; called by a timer. */
  flush(): void;
  /** Loads what is not older than the store's retention into the store. */
  restore(store: Store, nowMs: number): void;
  close(): void;
}

/** Stored in the file's `user_version`. */
const FORMAT_VERSION = 1;
/** A lock is held for one transaction only: an older lock is left from a killed process. */
const STALE_LOCK_MS = 10_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS instances (id TEXT PRIMARY KEY, service TEXT, last_seen_ms REAL, data TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS blocks (
    id TEXT, instance TEXT, start_ms REAL, duration_ms REAL, cause TEXT, function TEXT, file TEXT, line INTEGER,
    request TEXT, thread TEXT, trace_id TEXT, data TEXT, PRIMARY KEY (instance, id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS blocks_by_start ON blocks (start_ms);
  CREATE TABLE IF NOT EXISTS lag (instance TEXT, thread TEXT, start_ms REAL, end_ms REAL, data TEXT);
  CREATE INDEX IF NOT EXISTS lag_by_end ON lag (end_ms);
  PRAGMA user_version = ${FORMAT_VERSION};
`;

/**
 * Opens or creates the file. SQLite is WebAssembly (`node-sqlite3-wasm`): the same on every platform and Node.js version,
 * and installing it compiles and downloads nothing.
 */
export async function openDatabase(file: string): Promise<Database> {
  const { default: sqlite } = await import('node-sqlite3-wasm');
  await removeStaleLock(file);
  const db = open(file, () => new sqlite.Database(file));
  const insertInstance = db.prepare('INSERT OR REPLACE INTO instances VALUES (?, ?, ?, ?)');
  const insertBlock = db.prepare('INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const deleteBlock = db.prepare('DELETE FROM blocks WHERE id = ?');
  const insertLag = db.prepare('INSERT INTO lag VALUES (?, ?, ?, ?, ?)');
  let pending = emptyChange();

  function flush(): void {
    const { instances, blocks, removedBlocks, lag } = pending;
    if (instances.length + blocks.length + removedBlocks.length + lag.length === 0) return;
    pending = emptyChange();
    db.exec('BEGIN');
    for (const instance of instances) {
      insertInstance.run([instance.id, instance.service, Date.now(), JSON.stringify(instance)]);
    }
    for (const block of blocks) insertBlock.run(blockRow(block));
    for (const id of removedBlocks) deleteBlock.run([id]);
    for (const point of lag) {
      insertLag.run([point.instance, point.threadName, point.startMs, point.endMs, JSON.stringify(point)]);
    }
    db.exec('COMMIT');
  }

  return {
    add(change) {
      pending.instances.push(...change.instances);
      pending.blocks.push(...change.blocks);
      pending.removedBlocks.push(...change.removedBlocks);
      pending.lag.push(...change.lag);
    },
    flush,
    restore(store, nowMs) {
      const oldestMs = nowMs - store.limits.retentionMs;
      const change = emptyChange();
      const read = <T>(sql: string, values: (number | string)[] = []): T[] =>
        db.all(sql, values).map(({ data }) => JSON.parse(data as unknown as string) as T);
      const blocks = read<Block>(
        'SELECT data FROM (SELECT data, start_ms FROM blocks WHERE start_ms >= ? ORDER BY start_ms DESC LIMIT ?) ORDER BY start_ms',
        [oldestMs, store.limits.maxBlocks],
      );
      for (const block of blocks) upsertBlock(store, block, change);
      for (const point of read<LagPoint>('SELECT data FROM lag WHERE end_ms >= ? ORDER BY end_ms', [oldestMs])) {
        addLag(store, point, change);
      }
      const seen = newestOf(blocks, change.lag);
      for (const instance of read<Instance>('SELECT data FROM instances')) {
        const lastMs = seen.get(instance.id);
        if (lastMs !== undefined) registerInstance(store, instance, Math.min(nowMs, lastMs), change);
      }
    },
    close() {
      flush();
      for (const statement of [insertInstance, insertBlock, deleteBlock, insertLag]) statement.finalize();
      db.close();
    },
  };
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

function open<T extends { exec(sql: string): void; get(sql: string): unknown }>(file: string, create: () => T): T {
  try {
    const db = create();
    const { user_version: version } = db.get('PRAGMA user_version') as { user_version: number };
    if (version > FORMAT_VERSION) throw new Error(`a newer loopwatch wrote it (format ${version})`);
    db.exec(SCHEMA);
    return db;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Cannot store data in ${file}: ${reason}. Expected a SQLite file of loopwatch that no other process uses, or a path where one can be created.`,
      { cause },
    );
  }
}

function blockRow(block: Block): (string | number | null)[] {
  const { culprit } = block;
  return [
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
  ];
}

async function removeStaleLock(file: string): Promise<void> {
  const lock = `${file}.lock`;
  const stats = statSync(lock, { throwIfNoEntry: false });
  if (stats && Date.now() - stats.mtimeMs > STALE_LOCK_MS) await rm(lock, { recursive: true, force: true });
}
