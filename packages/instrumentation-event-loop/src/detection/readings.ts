import type { Clock } from '../contract/clock.js';
import type { Reading, ThreadTimes } from '../contract/model.js';
import { readTogether } from '../contract/thread-times.js';

/** Interval of readings, ms: one costs more than the rest of a heartbeat, and need not be made right before a block. */
const INTERVAL_MS = 200;
/** The same for a pool worker that wakes for its next task, ms. */
const WAKE_INTERVAL_MS = 20;
/** A reading at most this far from a checkpoint, ms, was made at that checkpoint. */
const CHECKPOINT_TOLERANCE_MS = 1;
/** Enough to find a reading from before a block that is reported late. */
const MAX_READINGS = 8;

/** The last readings of a thread's clocks and CPU times: those around a block show what the thread did in it. */
export class Readings {
  readonly #clock: Clock;
  readonly #readThreadTimes: () => ThreadTimes | undefined;
  readonly #readings: Reading[] = [];

  constructor(clock: Clock, readThreadTimes: () => ThreadTimes | undefined) {
    this.#clock = clock;
    this.#readThreadTimes = readThreadTimes;
  }

  get isEmpty(): boolean {
    return this.#readings.length === 0;
  }

  /** Keeps a reading for a checkpoint that has just been made. */
  keep(checkpoint = this.#clock.now()): void {
    const readings = this.#readings;
    if (readings.length < MAX_READINGS) readings[readings.length] = asOf(checkpoint, this.#take());
    else {
      for (let i = 1; i < MAX_READINGS; i++) readings[i - 1] = readings[i]!;
      readings[MAX_READINGS - 1] = asOf(checkpoint, this.#take());
    }
  }

  /** Keeps a reading where the last one is old, and always where a callback that `hasBlocked` has just returned. */
  keepIfDue(now: number, hasBlocked: boolean): void {
    if (hasBlocked || this.#ageMs(now) >= INTERVAL_MS) this.keep();
  }

  /** Keeps one when a pool worker wakes: its sleep is not idle time of the loop, so an older one would count it as work. */
  keepAtWake(now: number): void {
    if (this.#ageMs(now) >= WAKE_INTERVAL_MS) this.keep();
  }

  /** Keeps one at the checkpoint where a block has just ended: another may begin there. */
  keepAfter(end: number): void {
    if (!this.#findAfter(end)) this.keep(end);
  }

  /** The last reading before an interval and the first after it, which is taken now if it does not exist yet. */
  around(start: number, end: number): { before: Reading | undefined; after: Reading } {
    let before: Reading | undefined;
    for (let i = this.#readings.length - 1; i >= 0 && !before; i--) {
      if (this.#readings[i]!.at <= start + CHECKPOINT_TOLERANCE_MS) before = this.#readings[i];
    }
    return { before, after: this.#findAfter(end) ?? this.#take() };
  }

  /** A heartbeat takes one when the callback that blocked has just returned. */
  #findAfter(end: number): Reading | undefined {
    for (let i = 0; i < this.#readings.length; i++) {
      if (this.#readings[i]!.at >= end - CHECKPOINT_TOLERANCE_MS) return this.#readings[i];
    }
    return undefined;
  }

  #ageMs(now: number): number {
    return now - (this.#readings[this.#readings.length - 1]?.at ?? -Infinity);
  }

  #take(): Reading {
    const idleTime = this.#clock.idleTime(); // does not change while the loop is busy
    return { idleTime, ...readTogether(this.#clock.now, this.#readThreadTimes) };
  }
}

/** The reading as it was at the checkpoint: between the two, the thread can only have lost the CPU. */
function asOf(checkpoint: number, reading: Reading): Reading {
  const { at, idleTime, times } = reading;
  if (times?.runQueueMs === undefined || at - checkpoint <= CHECKPOINT_TOLERANCE_MS) return reading;
  return { at: checkpoint, idleTime, times: { ...times, runQueueMs: times.runQueueMs - (at - checkpoint) } };
}
