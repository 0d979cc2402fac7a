import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import type { DatabaseSync } from 'node:sqlite';
import { compileFunction } from 'node:vm';

export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, unknown>>;

/** A connection to an SQLite file. After an error it can only be closed. */
export interface Sqlite {
  exec(sql: string): void;
  /** One statement with values; it is compiled once. */
  run(sql: string, values: readonly SqlValue[]): void;
  all(sql: string, values?: readonly SqlValue[]): SqlRow[];
  close(): void;
}

/** How long a statement waits for the lock of another program. It stops the event loop: the next flush tries again. */
const BUSY_TIMEOUT_MS = 100;
const PRIVATE_MODE = 0o600;

const require = createRequire(import.meta.url);

/**
 * Opens the file with Node's own SQLite. It locks files by the kernel: a program that reads the file meanwhile, such as
 * `sqlite3`, sees complete transactions, and a killed process leaves no lock. Where Node has none (before 22.13),
 * SQLite is WebAssembly (`node-sqlite3-wasm`); there, no other program may open the file at the same time.
 */
export function openSqlite(file: string, { readOnly = false } = {}): Sqlite {
  const sqlite = nodeSqlite();
  return sqlite ? openWithNode(new sqlite(file, { readOnly, timeout: BUSY_TIMEOUT_MS })) : openWithWasm(file, readOnly);
}

/** The number that a pragma has. */
export function pragma(db: Sqlite, name: string): number {
  return Number(Object.values(db.all(`PRAGMA ${name}`)[0] ?? {})[0]);
}

/** Undefined where Node.js has no SQLite, or only behind a flag. */
function nodeSqlite(): typeof DatabaseSync | undefined {
  const emitWarning = process.emitWarning.bind(process);
  // Node.js says that it is experimental, on the stderr of our user.
  process.emitWarning = () => undefined;
  try {
    return (require('node:sqlite') as { DatabaseSync: typeof DatabaseSync }).DatabaseSync;
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function openWithNode(db: DatabaseSync): Sqlite {
  const prepare = once((sql) => db.prepare(sql));
  return {
    exec: (sql) => {
      db.exec(sql);
    },
    run: (sql, values) => {
      prepare(sql).run(...values);
    },
    all: (sql, values = []) => db.prepare(sql).all(...values),
    close: () => {
      db.close();
    },
  };
}

interface WasmStatement {
  run(values: readonly SqlValue[]): unknown;
  finalize(): void;
}

interface WasmDatabase {
  exec(sql: string): void;
  prepare(sql: string): WasmStatement;
  all(sql: string, values: readonly SqlValue[]): SqlRow[];
  close(): void;
}

type WasmModule = Readonly<{ Database: new (file: string, options: { readOnly: boolean }) => WasmDatabase }>;

function openWithWasm(file: string, readOnly: boolean): Sqlite {
  ownLocks.add(`${path.resolve(file)}.lock`);
  const db = new (wasmSqlite().Database)(file, { readOnly });
  const statements: WasmStatement[] = [];
  const prepare = once((sql) => {
    const statement = db.prepare(sql);
    statements.push(statement);
    return statement;
  });
  return {
    exec: (sql) => {
      db.exec(sql);
    },
    run: (sql, values) => {
      prepare(sql).run(values);
    },
    all: (sql, values = []) => db.all(sql, values),
    close: () => {
      for (const statement of statements) {
        try {
          statement.finalize();
        } catch {
          // It reports the error of its last run once more.
        }
      }
      db.close();
    },
  };
}

const ownLocks = new Set<string>();
let loadedWasm: WasmModule | undefined;

/**
 * The library locks `FILE` by a directory `FILE.lock`. That stays when the process is killed, and cannot be told from one
 * that the user has made. Here the claim on the file excludes other processes, so the library gets file operations that
 * neither make such a directory, nor see or remove one. Files that it makes, such as the journal, are private.
 */
function wasmSqlite(): WasmModule {
  if (loadedWasm) return loadedWasm;
  const fileOperations = {
    ...fs,
    mkdirSync: () => undefined,
    rmdirSync: () => undefined,
    openSync: (file: string, flags: number) => fs.openSync(file, flags, PRIVATE_MODE),
    accessSync: (file: string, mode?: number) => {
      if (ownLocks.has(file)) throw new Error('There is no lock.');
      fs.accessSync(file, mode);
    },
  };
  const file = require.resolve('node-sqlite3-wasm');
  const evaluate = compileFunction(
    fs.readFileSync(file, 'utf8'),
    ['module', 'exports', 'require', '__filename', '__dirname'],
    { filename: file },
  ) as (...values: unknown[]) => void;
  const module = { exports: {} };
  const requireForLibrary = (name: string): unknown => (name === 'node:fs' ? fileOperations : require(name));
  evaluate(module, module.exports, requireForLibrary, file, path.dirname(file));
  return (loadedWasm = module.exports as WasmModule);
}

function once<T>(create: (sql: string) => T): (sql: string) => T {
  const made = new Map<string, T>();
  return (sql) => {
    let item = made.get(sql);
    if (item === undefined) made.set(sql, (item = create(sql)));
    return item;
  };
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;

/** Whether another program has locked the file. */
export function isLocked(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: unknown };
  return typeof errcode === 'number' && [SQLITE_BUSY, SQLITE_LOCKED].includes(errcode & 0xff);
}
