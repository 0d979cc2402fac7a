import { pragma, type Sqlite } from './sqlite.js';

/** How large the file of `--keep` may become, in bytes. A start loads at most 64 million characters of it. */
export const MAX_FILE_BYTES = 1024 ** 3;

/** A fiftieth at a time: serve answers nothing meanwhile. */
const PART = 50;
const TIME_OF_TABLE = { blocks: 'start_ms', lag: 'end_ms', instances: 'last_seen_ms' } as const;

/**
 * Deletes the oldest entries until the file has room; SQLite writes what comes next in their place. To be called within a
 * transaction. Returns whether it has deleted anything.
 */
export function makeRoom(db: Sqlite, maxBytes: number): boolean {
  let isFull = false;
  // Each round deletes something, or the tables are empty.
  for (let used = usedBytes(db); used > maxBytes; used = usedBytes(db)) {
    for (const [table, time] of Object.entries(TIME_OF_TABLE)) deleteOldest(db, table, time);
    isFull = true;
    if (usedBytes(db) >= used) break;
  }
  return isFull;
}

function deleteOldest(db: Sqlite, table: string, time: string): void {
  const last = `SELECT ${time} FROM ${table} ORDER BY ${time} LIMIT 1 OFFSET (SELECT count(*) / ${PART} FROM ${table})`;
  db.run(`DELETE FROM ${table} WHERE ${time} <= (${last})`, []);
}

function usedBytes(db: Sqlite): number {
  return (pragma(db, 'page_count') - pragma(db, 'freelist_count')) * pragma(db, 'page_size');
}
