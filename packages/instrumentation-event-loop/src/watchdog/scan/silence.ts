import fs from 'node:fs';
import process from 'node:process';
import type { ThreadTimes } from '../../contract/model.js';
import { printable } from '../../contract/printable.js';
import { SlotInt } from '../../contract/registry-layout.js';
import { parseChild, parseChildren, silentState, type SilentState } from '../../contract/silent-thread.js';
import type { Slot } from '../../contract/slots.js';
import type { Silence, TimesSoFar } from '../../contract/stalled-thread.js';

/** What the kernel showed at one moment. */
interface Reading {
  readonly at: number;
  readonly times: ThreadTimes | undefined;
  /** CPU time of the other threads of the process. */
  readonly othersMs: number;
  /** How often the thread was seen to run or be ready to, to sleep, and to sleep in a lock. */
  readonly runnable: number;
  readonly asleep: number;
  readonly locked: number;
}

/** The watchdog has read the times of a thread for this share of a block at least, or does not say them. */
const MIN_READ_SHARE = 0.9;
/**
 * V8's threads share the work of a collection. Where collections take half of a thread's time, the other threads compute for
 * this share of its CPU time at least: 1.4 to 8 times as long in full collections, 0 to 0.4 in other native calls.
 */
const SHARED_WORK = 0.5;
/** Child processes that are named. */
const MAX_CHILDREN = 8;

/** What is known of a stalled thread that does not answer, from what the kernel counts. */
export class SilenceReader {
  readonly #slot: Slot;
  readonly #readTimes: () => ThreadTimes | undefined;
  readonly #answersJavaScript: () => boolean;
  readonly #readProcessMs: () => number;
  #first: Reading | undefined;
  #asked: Reading | undefined;
  /** When the stall began, ms since the system has booted. */
  #bornMs: number | undefined;

  constructor(
    slot: Slot,
    readTimes: () => ThreadTimes | undefined,
    answersJavaScript: () => boolean = () => true,
    readProcessMs = processCpuMs,
  ) {
    this.#slot = slot;
    this.#readTimes = readTimes;
    this.#answersJavaScript = answersJavaScript;
    this.#readProcessMs = readProcessMs;
  }

  /** A stall, or another phase of it, is seen, which has begun at `startAt`. All times are on the shared clock. */
  restart(now: number, startAt: number): void {
    this.#first = this.#read(now);
    this.#asked = undefined;
    // Of then: a suspension that comes later is no part of the block's age, but of the age of a child process.
    const upMs = uptimeMs();
    this.#bornMs = upMs === undefined ? undefined : upMs - (now - startAt);
  }

  /** The thread is asked, after it has answered all questions before. */
  onAsked(now: number): void {
    this.#asked = this.#read(now);
  }

  /** What the thread has done since it was asked. */
  state(now: number): SilentState {
    return this.#asked === undefined ? 'unknown' : stateBetween(this.#asked, this.#read(now));
  }

  /** What is known of a thread that has been blocked for `ageMs`, and last answered at `answeredAt`. */
  silence(ageMs: number, answeredAt: number | undefined, now: number): Silence {
    const reading = this.#read(now);
    const asked = this.#asked;
    const state = asked === undefined ? 'unknown' : stateBetween(asked, reading);
    // What it does now is the cause only where it has done it for half of the block.
    const isMost = asked !== undefined && now - asked.at >= ageMs / 2;
    return {
      cause: isMost ? this.#causeBetween(asked, reading, state) : 'unknown',
      ...this.#timesOf(ageMs, reading),
      answerAgeMs: answeredAt === undefined ? undefined : now - answeredAt,
      childProcesses: state === 'asleep' ? childrenOf(this.#slot.getInt(SlotInt.osThreadId), this.#bornMs) : [],
    };
  }

  /** The times of a thread that has been blocked for `ageMs`. */
  times(ageMs: number, now: number): TimesSoFar {
    return this.#timesOf(ageMs, { at: now, times: this.#readTimes() });
  }

  /** In a collection, the thread computes together with V8's threads, or sleeps in a lock until they have done their part. */
  #causeBetween(from: Reading, to: Reading, state: SilentState): Silence['cause'] {
    if (state === 'asleep') {
      return to.locked - from.locked > (to.asleep - from.asleep) / 2 ? 'unknown' : 'waiting';
    }
    if (state !== 'computing' || !this.#answersJavaScript()) return 'unknown';
    const isShared = to.othersMs - from.othersMs >= (difference(to.times?.cpuMs, from.times?.cpuMs) ?? 0) * SHARED_WORK;
    return isShared ? 'unknown' : 'native';
  }

  #timesOf(ageMs: number, { at, times }: Pick<Reading, 'at' | 'times'>): TimesSoFar {
    const first = this.#first;
    if (!first?.times || !times || at - first.at < ageMs * MIN_READ_SHARE) {
      return { cpuMs: undefined, runQueueMs: undefined };
    }
    return {
      cpuMs: Math.min(ageMs, times.cpuMs - first.times.cpuMs),
      runQueueMs: difference(times.runQueueMs, first.times.runQueueMs),
    };
  }

  #read(at: number): Reading {
    const times = this.#readTimes();
    return {
      at,
      times,
      othersMs: this.#readProcessMs() - (times?.cpuMs ?? 0),
      runnable: this.#slot.getInt(SlotInt.runnableLooks),
      asleep: this.#slot.getInt(SlotInt.sleepingLooks),
      locked: this.#slot.getInt(SlotInt.lockedLooks),
    };
  }
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function stateBetween(from: Reading, to: Reading): SilentState {
  const runnable = to.runnable - from.runnable;
  const asleep = to.asleep - from.asleep;
  return silentState({
    elapsedMs: to.at - from.at,
    cpuMs: difference(to.times?.cpuMs, from.times?.cpuMs),
    runQueueMs: difference(to.times?.runQueueMs, from.times?.runQueueMs),
    isAsleep: runnable + asleep === 0 ? undefined : asleep > runnable,
  });
}

function difference(later: number | undefined, earlier: number | undefined): number | undefined {
  return later === undefined || earlier === undefined ? undefined : later - earlier;
}

/**
 * The child processes that a thread has started since `bornMs`, as `name (pid)`: for one of them, `execSync` waits. Their
 * arguments may contain secrets.
 */
function childrenOf(osThreadId: number, bornMs: number | undefined): string[] {
  if (bornMs === undefined || osThreadId === 0) return [];
  try {
    const pids = parseChildren(readProc(`self/task/${osThreadId}/children`));
    return pids.slice(-MAX_CHILDREN).flatMap((pid) => {
      const child = parseChild(readProc(`${pid}/stat`));
      return child && child.startedMs >= bornMs - CLOCK_ERROR_MS ? [`${printable(child.name)} (${pid})`] : [];
    });
  } catch {
    return []; // the kernel has no such file, or the child has ended
  }
}

/** ms since the system has booted; undefined where the kernel does not say it. */
function uptimeMs(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return Number(readProc('uptime').split(' ', 1)[0]) * 1000;
  } catch {
    return undefined;
  }
}

/** The kernel gives the start of a process in ticks of 10 ms. */
const CLOCK_ERROR_MS = 20;

function readProc(name: string): string {
  return fs.readFileSync(`/proc/${name}`, 'latin1');
}
