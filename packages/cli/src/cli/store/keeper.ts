import { readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { claimFile, type FileClaim, FileTakenError } from './file-claim.js';
import { type Database, openDatabase } from './database.js';
import { MAX_FILE_BYTES } from './file-limit.js';
import { createRowReader, type RowReader } from './kept-rows.js';
import { lockHolder } from './lock-holder.js';
import { PendingRows } from './pending-rows.js';
import { isLocked } from './sqlite.js';
import { type Change, createStore, type Store } from './store.js';

export interface KeeperOptions {
  readonly file: string;
  /** Gets what the file has from earlier. */
  readonly store: Store;
  /** Prints a line for the user. */
  readonly say: (line: string) => void;
  /** How long a start waits for another process, and how long the lock of another program may last, in ms. */
  readonly patienceMs?: number;
  /** How large the file may become, in bytes. */
  readonly maxFileBytes?: number;
  /** Of recordings; by default that of the package. */
  readonly schemaFile?: URL;
}

/** A `serve` that is being stopped needs a moment to save and end. */
const PATIENCE_MS = 10_000;
const LOOK_INTERVAL_MS = 250;
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 60_000;

/**
 * Claims and opens the file of `--keep`, and restores what is in it. Rejects only if another `loopwatch serve` goes on
 * saving there: two of them are a mistake. Whatever else is wrong must not stop the receiver, and may pass.
 */
export async function startKeeping(options: KeeperOptions): Promise<Keeper> {
  const keeper = new Keeper(options);
  await keeper.start();
  return keeper;
}

/** Saves what the store receives. It never throws: without the file, data stays in memory, and it tries again. */
export class Keeper {
  /** As the user has given it. */
  readonly #file: string;
  /** Without links: two paths of one file have one claim, and one journal. */
  readonly #realFile: string;
  readonly #store: Store;
  readonly #say: (line: string) => void;
  readonly #patienceMs: number;
  readonly #maxFileBytes: number;
  readonly #read: RowReader;
  readonly #pending = new PendingRows();
  #claim: FileClaim | undefined;
  #database: Database | undefined;
  #problem: string | undefined;
  /** Since when another program has locked the file. */
  #lockedSinceMs: number | undefined;
  #retryMs = FIRST_RETRY_MS;
  #nextTryMs = 0;
  #isClaiming = false;
  #hasSaidFull = false;
  #isClosed = false;

  constructor({
    file,
    store,
    say,
    patienceMs = PATIENCE_MS,
    maxFileBytes = MAX_FILE_BYTES,
    schemaFile,
  }: KeeperOptions) {
    this.#file = file;
    this.#realFile = withoutLinks(file);
    this.#store = store;
    this.#say = say;
    this.#patienceMs = patienceMs;
    this.#maxFileBytes = maxFileBytes;
    this.#read = createRowReader(schemaFile);
  }

  async start(): Promise<void> {
    const onWait = (reason: string): void => {
      this.#say(`Waiting to save to ${this.#file}: ${reason}.`);
    };
    try {
      this.#claim = await claimFile(this.#realFile, { patienceMs: this.#patienceMs, onWait });
      await this.#untilUnlocked(() => {
        this.#open(this.#store);
      }, onWait);
    } catch (error) {
      if (error instanceof FileTakenError) {
        throw new Error(
          `Gave up after ${this.#patienceMs / 1000} s: ${error.message}, to ${this.#file}. Stop it, or give --keep another file.`,
          { cause: error },
        );
      }
      this.#fail(error);
      this.#restoreOnly();
    }
  }

  /** Why nothing is saved, in a sentence; undefined while all is. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Queues the change for the next `flush`. */
  add(change: Change): void {
    this.#pending.add(change, Date.now());
  }

  /** Writes what is queued in one transaction, or tries to open the file again. Called by a timer, each second. */
  flush(): void {
    this.#leaveWhatIsGone();
    if (!this.#database && performance.now() >= this.#nextTryMs) {
      if (this.#claim) this.#openAgain();
      else if (!this.#isClaiming) void this.#claimAgain();
    }
    this.#write();
  }

  close(): void {
    this.#isClosed = true;
    this.#nextTryMs = 0;
    if (this.#claim) this.flush();
    if (!this.#pending.isEmpty) this.#say(`What arrived last is not saved to ${this.#file}.`);
    this.#closeDatabase();
    this.#claim?.release();
  }

  #open(target: Store): void {
    this.#database = openDatabase(this.#realFile, { maxBytes: this.#maxFileBytes });
    const unusable = this.#database.restore(target, this.#read, Date.now());
    if (unusable > 0) {
      this.#say(`Not shown: ${unusable} entries of ${this.#file} that are damaged, or lie in the future.`);
    }
  }

  /** What is in the file now is not shown, but it must be readable: to write to a damaged file could damage more. */
  #openAgain(): void {
    try {
      this.#open(createStore(this.#store.limits));
    } catch (error) {
      this.#fail(error);
    }
  }

  async #claimAgain(): Promise<void> {
    this.#isClaiming = true;
    try {
      const claim = await claimFile(this.#realFile, { patienceMs: 0 });
      if (this.#isClosed) claim.release();
      else this.#claim = claim;
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isClaiming = false;
    }
  }

  /** The claim may have been taken, or the file removed or replaced. */
  #leaveWhatIsGone(): void {
    if (this.#claim?.renew() === false) this.#claim = undefined;
    if (!this.#database || (this.#claim && this.#database.isInPlace())) return;
    this.#closeDatabase();
    this.#say(`${this.#file} was removed, or something else is in its place. Opening it again.`);
  }

  #write(): void {
    if (!this.#database) return;
    try {
      if (!this.#pending.isEmpty && this.#database.write(this.#pending.values())) this.#sayFull();
    } catch (error) {
      this.#lockedSinceMs ??= performance.now();
      // The lock of a reader or of a backup lasts a moment.
      if (isLocked(error) && performance.now() - this.#lockedSinceMs < this.#patienceMs) return;
      this.#fail(error);
      return;
    }
    this.#lockedSinceMs = undefined;
    const { dropped } = this.#pending;
    this.#pending.clear();
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    this.#retryMs = FIRST_RETRY_MS;
    const lost = dropped > 0 ? ` ${dropped} entries could not wait in memory and are lost.` : '';
    this.#say(`Saves to ${this.#file} again.${lost}`);
  }

  #sayFull(): void {
    if (this.#hasSaidFull) return;
    this.#hasSaidFull = true;
    this.#say(`${this.#file} has reached its largest size: from now on, its oldest entries are deleted.`);
  }

  #fail(error: unknown): void {
    this.#closeDatabase();
    this.#nextTryMs = performance.now() + this.#retryMs;
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
    const text = `Nothing is saved to ${this.#file}: ${this.#reasonOf(error)}. Data stays in memory; saving begins when that is mended.`;
    if (this.#problem === undefined) this.#say(text);
    this.#problem = text;
  }

  #closeDatabase(): void {
    const database = this.#database;
    this.#database = undefined;
    try {
      database?.close();
    } catch {
      // It reports the error of its last statement once more.
    }
  }

  /** A full disk, or one that is read-only, does not prevent reading. */
  #restoreOnly(): void {
    try {
      const database = openDatabase(this.#realFile, { readOnly: true });
      database.restore(this.#store, this.#read, Date.now());
      database.close();
    } catch {
      // The reason has been said.
    }
  }

  async #untilUnlocked(open: () => void, onWait: (reason: string) => void): Promise<void> {
    const deadlineMs = performance.now() + this.#patienceMs;
    let isWaiting = false;
    for (;;) {
      try {
        open();
        return;
      } catch (error) {
        this.#closeDatabase();
        if (!isLocked(error) || performance.now() >= deadlineMs) throw error;
        if (!isWaiting) onWait(this.#reasonOf(error));
        isWaiting = true;
      }
      await sleep(LOOK_INTERVAL_MS);
    }
  }

  /** Without the place in the code of SQLite, and without the link that claims the file. */
  #reasonOf(error: unknown): string {
    if (isLocked(error)) return `${lockHolder(this.#file) ?? 'another program'} has locked it`;
    const { code, syscall, message = String(error) } = error as Partial<NodeJS.ErrnoException>;
    const directory = path.dirname(this.#realFile);
    if (syscall !== 'symlink') return message.split('\n', 1)[0]!;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `the directory ${directory} does not exist`;
    return `no file can be created in ${directory} (${code ?? message})`;
  }
}

/** The path without links, also of a link to a file that is not there yet. */
function withoutLinks(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return file;
  }
  try {
    return withoutLinks(path.resolve(path.dirname(file), readlinkSync(file)));
  } catch {
    return file; // no link: the file is made
  }
}
