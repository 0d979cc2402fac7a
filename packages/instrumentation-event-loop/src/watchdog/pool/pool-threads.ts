import fs from 'node:fs';
import process from 'node:process';
import { ownThreadId } from '../../contract/thread-times.js';
import { parseCpuSplit, type CpuSplit } from '../scan/cpu-split.js';
import { staticRangeOf, threadStateOf, waitAddressOf, type StaticRange, type ThreadState } from './thread-state.js';

// Taken when the module loads, so that file-system mocks in the application's tests do not replace them.
const { closeSync, openSync, readdirSync, readFileSync, readSync } = fs;

/** Name of the threads of the pool from libuv 1.50 on (Node.js 22). */
const THREAD_NAME = 'libuv-worker';
/** libuv's own default and limit. */
const DEFAULT_SIZE = 4;
const MAX_SIZE = 1024;
/** States of a thread that waits for work: of V8's helpers, and of worker threads. */
const WAITING = /^(idle|futex|epoll_wait|system call )/;
/** Files that stay open; of further threads, each look opens the file anew. */
const MAX_OPEN_FILES = 16;
/** Interval between two searches among the same threads, ms, and the longest. */
const MIN_SEARCH_MS = 1000;
const MAX_SEARCH_MS = 30_000;

/** Finds the threads of libuv's pool in this process, and reads what they do. Linux only: elsewhere it finds none. */
export class PoolThreads {
  readonly #directory: string;
  readonly #expectedSize: number;
  readonly #haveNames: boolean;
  readonly #threads = new Map<string, number | undefined>();
  readonly #buffer = Buffer.alloc(160);
  #range: StaticRange | undefined;
  #hasReadRange = false;
  #searchAt = 0;
  #searchMs = MIN_SEARCH_MS;
  #searchedIds = '';
  #isHidden = false;
  #offset = 0;

  /** `directory` has a folder for each thread, as `/proc/self/task`; `haveNames`: libuv names its threads. */
  constructor(
    directory = '/proc/self/task',
    env: Readonly<Record<string, string | undefined>> = process.env,
    haveNames = hasNamedThreads(),
  ) {
    this.#directory = directory;
    this.#expectedSize = poolSizeIn(env);
    this.#haveNames = haveNames;
  }

  /**
   * The threads can be told from others: they have a name, or are several that wait at one lock. A pool of one thread
   * without a name cannot be found.
   */
  get canBeFound(): boolean {
    return process.platform === 'linux' && (this.#expectedSize > 1 || this.size > 0 || this.#haveNames);
  }

  /** Number of threads found so far. The pool has none before its first task. */
  get size(): number {
    return this.#threads.size;
  }

  /**
   * As many threads as the pool has were at work in the last search. Without names, its own are found when all of them
   * wait: not where its first tasks have filled it.
   */
  get mayBeHidden(): boolean {
    return this.size === 0 && this.#isHidden;
  }

  /** Searches for the threads, unless they are known: when a thread has started or ended, else now and then. */
  find(now: number): void {
    if (this.size >= this.#expectedSize || process.platform !== 'linux') return;
    try {
      const ids = readdirSync(this.#directory);
      const joinedIds = ids.join();
      if (now < this.#searchAt && joinedIds === this.#searchedIds) return;
      this.#searchedIds = joinedIds;
      this.#searchAt = now + this.#searchMs;
      this.#searchMs = Math.min(MAX_SEARCH_MS, this.#searchMs * 2);
      for (const id of this.#named(ids)) this.#add(id);
      // One of them has not taken its name yet.
      if (this.size > 0 && this.size < this.#expectedSize) this.#searchAt = now + MIN_SEARCH_MS;
      if (this.size === 0) for (const id of this.#waitingTogether(ids)) this.#add(id);
      this.#isHidden = this.size === 0 && !this.#haveNames && this.#working(ids).length >= this.#expectedSize;
    } catch {
      // The system shows no threads.
    }
  }

  /**
   * What the threads do, up to `limit` of them; each look at a part begins with another one, and one at all has them in
   * the same order. Undefined where the system does not show it.
   */
  states(limit = MAX_OPEN_FILES): ThreadState[] | undefined {
    const ids = [...this.#threads.keys()];
    const first = limit >= ids.length ? 0 : this.#offset++ % ids.length;
    const range = this.#staticRange();
    const states: ThreadState[] = [];
    for (const id of [...ids.slice(first), ...ids.slice(0, first)].slice(0, limit)) {
      const text = this.#read(id);
      const state = text === undefined ? undefined : threadStateOf(text, process.arch, range);
      if (state === undefined) return undefined;
      states.push(state);
    }
    return states;
  }

  /** CPU time of each thread so far, ms, in the order of `states`; undefined where the system does not show it. */
  cpuTimes(): number[] | undefined {
    const times = [...this.#threads.keys()].map(
      (id) => Number.parseInt(readQuietly(`${this.#directory}/${id}/schedstat`) ?? '', 10) / 1e6,
    );
    return times.every((ms) => ms > 0) ? times : undefined;
  }

  /** CPU time of all threads so far, in their own code and in the kernel; undefined where the system does not show it. */
  cpuSplit(): CpuSplit | undefined {
    const sum = { user: 0, system: 0 };
    for (const id of this.#threads.keys()) {
      const split = parseCpuSplit(readQuietly(`${this.#directory}/${id}/stat`) ?? '');
      if (!split) return undefined;
      sum.user += split.user;
      sum.system += split.system;
    }
    return sum;
  }

  close(): void {
    for (const descriptor of this.#threads.values()) closeQuietly(descriptor);
    this.#threads.clear();
  }

  #add(id: string): void {
    if (this.#threads.has(id) || this.size >= MAX_SIZE) return;
    this.#threads.set(id, this.size < MAX_OPEN_FILES ? openQuietly(this.#fileOf(id)) : undefined);
  }

  /**
   * The threads with the name of libuv. A thread that one of them starts, as in argon2, has that name as well. libuv starts
   * its own before any of them works: they are the oldest, or wait for work.
   */
  #named(ids: readonly string[]): readonly string[] {
    const named = ids.filter((id) => readQuietly(`${this.#directory}/${id}/comm`)?.trim() === THREAD_NAME);
    return byAge(named).filter((id, i) => i < this.#expectedSize || this.#lockOf(id) !== undefined);
  }

  /** The lock in the executable's static data at which the thread waits, if it does. */
  #lockOf(id: string): number | undefined {
    const range = this.#staticRange();
    return range && waitAddressOf(readQuietly(this.#fileOf(id)) ?? '', process.arch, range);
  }

  /**
   * Before libuv named its threads: those that wait at one lock in the executable's static data, where there are several,
   * together with those that work, where only these can be the rest of the pool.
   */
  #waitingTogether(ids: readonly string[]): readonly string[] {
    const groups = new Map<number, string[]>();
    for (const id of ids) {
      const address = this.#lockOf(id);
      if (address !== undefined) groups.set(address, [...(groups.get(address) ?? []), id]);
    }
    const waiting = [...groups.values()].find((group) => group.length > 1);
    if (!waiting || waiting.length >= this.#expectedSize) return waiting ?? [];
    // libuv starts its threads one after the other.
    const pool = byAge([...waiting, ...this.#working(ids)]);
    const isRow = pool.length === this.#expectedSize && `,${byAge(ids).join()},`.includes(`,${pool.join()},`);
    return isRow ? pool : [];
  }

  /** The threads besides the main one and this one that neither wait at a lock nor poll. */
  #working(ids: readonly string[]): readonly string[] {
    const range = this.#staticRange();
    return ids.filter((id) => {
      const isOther = ![process.pid, ownThreadId()].includes(Number(id));
      const state = threadStateOf(readQuietly(this.#fileOf(id)) ?? '', process.arch, range);
      return isOther && state !== undefined && !WAITING.test(state);
    });
  }

  #staticRange(): StaticRange | undefined {
    if (this.#hasReadRange) return this.#range;
    this.#hasReadRange = true;
    this.#range = staticRangeOf(readQuietly('/proc/self/maps') ?? '', process.execPath);
    return this.#range;
  }

  #read(id: string): string | undefined {
    const descriptor = this.#threads.get(id);
    if (descriptor === undefined) return readQuietly(this.#fileOf(id));
    try {
      return this.#buffer.toString('latin1', 0, readSync(descriptor, this.#buffer, 0, this.#buffer.length, 0));
    } catch {
      return undefined;
    }
  }

  #fileOf(id: string): string {
    return `${this.#directory}/${id}/syscall`;
  }
}

function byAge(ids: readonly string[]): string[] {
  return [...ids].sort((a, b) => Number(a) - Number(b));
}

/** Number of threads that libuv starts: `UV_THREADPOOL_SIZE`, within its limits. */
export function poolSizeIn(env: Readonly<Record<string, string | undefined>>): number {
  const value = env['UV_THREADPOOL_SIZE'];
  if (value === undefined) return DEFAULT_SIZE;
  // As C's `atoi`, with which libuv reads it: text is 0, and 0 is 1.
  const size = Number.parseInt(value, 10);
  return Number.isNaN(size) ? 1 : Math.min(MAX_SIZE, Math.max(1, size));
}

function hasNamedThreads(): boolean {
  const [major = 0, minor = 0] = process.versions.uv.split('.').map(Number);
  return major > 1 || (major === 1 && minor >= 50);
}

function openQuietly(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch {
    return undefined;
  }
}

function readQuietly(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}

function closeQuietly(descriptor: number | undefined): void {
  try {
    if (descriptor !== undefined) closeSync(descriptor);
  } catch {
    // The application has closed all descriptors: nothing is left to close.
  }
}
