import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { SCHEMA_SQL } from './schema.js';
import { type SeedSize, seedDatabase } from './seed.js';
import { TransactionQueue } from './transaction.js';

const SCHEMA_VERSION = 1;

export interface DatabaseOptions {
  readonly directory: string;
  readonly transactionTimeoutMs: number;
  readonly seedSize?: SeedSize;
}

/**
 * The embedded database: one connection writes, only inside transactions, and another one reads. In WAL mode the reader
 * sees the last committed state and does not wait for the writer.
 */
export interface Database {
  readonly file: string;
  readonly reader: DatabaseSync;
  readonly transactions: TransactionQueue;
  close(): void;
}

/** Opens the database in the directory. A new database gets its tables and seed data. */
export function openDatabase({ directory, transactionTimeoutMs, seedSize }: DatabaseOptions): Database {
  mkdirSync(directory, { recursive: true });
  const file = path.join(directory, 'tasks.sqlite');
  const writer = new DatabaseSync(file);
  writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
  createOnce(writer, file, seedSize);
  const reader = new DatabaseSync(file, { readOnly: true });
  return {
    file,
    reader,
    transactions: new TransactionQueue(writer, { timeoutMs: transactionTimeoutMs }),
    close() {
      reader.close();
      writer.close();
    },
  };
}

function createOnce(writer: DatabaseSync, file: string, seedSize: SeedSize | undefined): void {
  const version = Number(writer.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version === SCHEMA_VERSION) return;
  if (version !== 0) {
    throw new Error(
      `Expected ${file} at schema version ${SCHEMA_VERSION}, got ${version}. Remove it or set DEMO_DATA_DIR.`,
    );
  }
  writer.exec(`BEGIN; ${SCHEMA_SQL}`);
  seedDatabase(writer, seedSize);
  writer.exec(`PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT;`);
}
