import type { Clock } from '../contract/clock.js';
import { SlotTime } from '../contract/registry-layout.js';
import type { Slot } from '../contract/slots.js';
import { NO_IDLE_MS } from './busy-periods.js';

/** The busy share is that of the last `WINDOW_MS` to twice that time. */
const WINDOW_MS = 500;

/**
 * Writes into the thread's slot how loaded its loop is, with every heartbeat: the last lag and the busy share. They are
 * there for `isOverloaded`, which a shedder calls between two blocks: a request that is read now has waited while the
 * heartbeat did, which runs in the same iteration before it.
 */
export class LoopLoad {
  readonly #slot: Slot | undefined;
  readonly #clock: Clock;
  /** Idle time of the loop at the last lag. */
  #lagIdleTime = 0;
  /** Two readings, at least `WINDOW_MS` apart; the older one begins the window. */
  #olderAt = 0;
  #olderIdleTime = 0;
  #newerAt = 0;
  #newerIdleTime = 0;

  constructor(slot: Slot | undefined, clock: Clock) {
    this.#slot = slot;
    this.#clock = clock;
  }

  setLag(lagMs: number): void {
    this.#slot?.setTime(SlotTime.lagMs, lagMs);
    this.#lagIdleTime = this.#clock.idleTime();
  }

  /** Called with every heartbeat, with its time and the loop's idle time, ms. */
  onBeat(now: number, idleTime: number): void {
    if (this.#olderAt === 0) {
      this.#olderAt = this.#newerAt = now;
      this.#olderIdleTime = this.#newerIdleTime = idleTime;
    }
    this.#slot?.setTime(SlotTime.busyShare, this.#busyShare(now, idleTime));
    if (now - this.#newerAt < WINDOW_MS) return;
    this.#olderAt = this.#newerAt;
    this.#olderIdleTime = this.#newerIdleTime;
    this.#newerAt = now;
    this.#newerIdleTime = idleTime;
  }

  /** Whether the last lag is above the limit, and what has waited meanwhile has not been read yet. */
  isLagAbove(lagMs: number): boolean {
    if (!this.#slot || this.#slot.getTime(SlotTime.lagMs) <= lagMs) return false;
    // A loop that has been idle since had nothing left to read.
    return this.#clock.idleTime() - this.#lagIdleTime <= NO_IDLE_MS;
  }

  /** Whether the busy share is above the limit. What the heartbeat has written may be old on a loop that is idle. */
  isBusyAbove(share: number): boolean {
    if (!this.#slot || this.#slot.getTime(SlotTime.busyShare) <= share) return false;
    return this.#busyShare(this.#clock.now(), this.#clock.idleTime()) > share;
  }

  /** 0 while the window is too short to tell. */
  #busyShare(now: number, idleTime: number): number {
    const passedMs = now - this.#olderAt;
    return passedMs < WINDOW_MS ? 0 : 1 - (idleTime - this.#olderIdleTime) / passedMs;
  }
}
