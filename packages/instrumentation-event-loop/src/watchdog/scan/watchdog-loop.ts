import process from 'node:process';
import { sharedNow } from '../../contract/clock.js';
import { Asking, Header, IdleMode, SlotInt, SlotTime } from '../../contract/registry-layout.js';
import type { Registry } from '../../contract/registry.js';
import type { Slot } from '../../contract/slots.js';
import { openSchedstat } from '../../contract/thread-times.js';
import { BusySampler } from '../busy/busy-sampler.js';
import { askingOf } from '../ask/ask-thread.js';
import { closeSessions, hasOpenSession, whenAllClosed } from '../ask/counted-session.js';
import { IdleThreads } from './idle-threads.js';
import { lateness, type Lateness } from './lateness.js';
import type { StalledThreadObserver } from './stall-reports.js';
import { StalledThreadMonitor } from './stalled-thread-monitor.js';
import { SuspensionFinder } from './suspension-finder.js';

/** Longest sleep, ms; shorter when a thread may become late earlier. */
const MAX_SLEEP_MS = 200;
/** Longest sleep while a thread is late, ms: an exiting process waits for the watchdog to close its sessions. */
const MAX_LATE_SLEEP_MS = 20;
/** Longest iteration of the watchdog's own event loop, ms: it receives messages between two iterations. */
const MAX_ITERATION_MS = 1000;
/** Shortest sleep while no thread is late, ms. */
const MIN_SLEEP_MS = 5;
/** How long the watchdog goes on when no thread is left, ms. */
const WITHOUT_THREADS_MS = 500;

export interface WatchdogObserver extends StalledThreadObserver {
  /** Whether messages are to be sent or received: the watchdog must then not block its own event loop. */
  isBusy(): boolean;
  /** Called each time that all threads have been looked at. */
  onLook(): void;
  /** Called when the process has been suspended. */
  onSuspension(start: number, end: number): void;
  /** Called when this thread ends before the process: its files would stay open. */
  onEnd(): void;
}

/** The loop of the watchdog thread: sleeps, reads the last tick of every thread, and has late threads sampled. */
export class WatchdogLoop {
  readonly #registry: Registry;
  readonly #observer: WatchdogObserver;
  readonly #suspensions = new SuspensionFinder(openSchedstat('thread-self'));
  readonly #monitors = new Map<number, StalledThreadMonitor>();
  readonly #idleThreads = new IdleThreads();
  readonly #busySampler: BusySampler;
  #lastSuspensionEnd = 0;
  #lastThreadAt = sharedNow();
  /** Set while this thread waits in its event loop for nothing but the answer of a thread that is not late. */
  #answerTimer: NodeJS.Timeout | undefined;

  /** `ownCpuMs` is the CPU time of this thread; undefined where the system does not show it. */
  constructor(registry: Registry, observer: WatchdogObserver, ownCpuMs: () => number | undefined) {
    this.#registry = registry;
    this.#observer = observer;
    this.#busySampler = new BusySampler({ registry, isBusy: (slot) => this.#idleThreads.isBusy(slot), ownCpuMs });
  }

  start(): void {
    Atomics.store(this.#registry.ints, Header.isWatching, 1);
    whenAllClosed(() => {
      this.#onAnswered();
    });
    this.#iterate(sharedNow());
  }

  /** Since when the main thread has been blocked; undefined when it is not. And by what, where liveness is on. */
  mainThreadBlock(): { readonly blockedSince: number; readonly culprit: string | undefined } | undefined {
    for (const [index, monitor] of this.#monitors) {
      const slot = this.#registry.slot(index);
      if (slot.getInt(SlotInt.threadId) === 0 && monitor.isOf(slot)) return monitor.currentBlock();
    }
    return undefined;
  }

  /**
   * One iteration of this thread's event loop. It ends when a thread is late or when it is time to receive messages.
   */
  readonly #iterate = (firstPlannedWakeAt: number): void => {
    this.#answerTimer = undefined;
    const iterationEnd = sharedNow() + MAX_ITERATION_MS;
    for (let plannedWakeAt = firstPlannedWakeAt; ;) {
      const { wakeAt, needsLoop } = this.#lookAtThreads(plannedWakeAt);
      this.#observer.onLook();
      const now = sharedNow();
      this.#suspensions.beforeSleep(now, needsLoop);
      if (needsLoop || hasOpenSession() || this.#observer.isBusy()) {
        // Answers and messages arrive on this thread's event loop.
        const ms = Math.max(1, Math.min(MAX_LATE_SLEEP_MS, wakeAt - now));
        const timer = setTimeout(this.#iterate, ms, now + ms);
        if (!needsLoop) this.#answerTimer = timer;
        return;
      }
      const ms = Math.max(MIN_SLEEP_MS, wakeAt - now);
      // `Atomics.wait` costs a fraction of what a timer costs, and the watchdog spends most of its time here.
      const { ints } = this.#registry;
      const wasWoken = Atomics.wait(ints, Header.wake, Atomics.load(ints, Header.wake), ms) !== 'timed-out';
      plannedWakeAt = wasWoken ? sharedNow() : now + ms;
      if (wasWoken || now > iterationEnd) {
        setImmediate(this.#iterate, plannedWakeAt);
        return;
      }
    }
  };

  /** Sleeps again at once: to wake for the timer only to do so would be a third of the cost of a question. */
  #onAnswered(): void {
    if (this.#answerTimer === undefined) return;
    clearTimeout(this.#answerTimer);
    this.#answerTimer = undefined;
    setImmediate(this.#iterate, sharedNow());
  }

  #lookAtThreads(plannedWakeAt: number): { readonly wakeAt: number; readonly needsLoop: boolean } {
    const now = sharedNow();
    if (Atomics.load(this.#registry.ints, Header.exiting) === 1) {
      closeSessions();
      return { wakeAt: now + MAX_LATE_SLEEP_MS, needsLoop: true };
    }
    const suspensionStart = this.#suspensions.afterSleep(plannedWakeAt, now, this.#hasStalledThreadRun);
    if (suspensionStart !== undefined) {
      this.#registry.addSuspension(suspensionStart, now);
      this.#lastSuspensionEnd = now;
      for (const monitor of this.#monitors.values()) monitor.excludeSuspension(suspensionStart, now);
      this.#busySampler.excludeSuspension();
      this.#observer.onSuspension(suspensionStart, now);
    }
    // A thread is stopped for long blocks only, so that nothing divides the time of its loop then.
    const asksAtRandom = askingOf(this.#registry) !== Asking.byPause;
    let wakeAt = now + MAX_SLEEP_MS;
    let needsLoop = false;
    for (const slot of this.#registry.live()) {
      this.#lastThreadAt = now;
      const tickAt = slot.getTime(SlotTime.tickAt);
      if (tickAt === 0) continue;
      const { notBlockedAt, lateAt } = this.#lateness(slot, tickAt, now);
      if (now < lateAt) {
        this.#monitors.get(slot.index)?.recover();
        wakeAt = Math.min(wakeAt, lateAt);
        if (asksAtRandom) wakeAt = Math.min(wakeAt, this.#busySampler.look(slot, tickAt, now, undefined));
        continue;
      }
      needsLoop = true;
      const monitor = this.#monitorOf(slot);
      const askAt = monitor.look(tickAt, notBlockedAt, now);
      wakeAt = Math.min(wakeAt, askAt);
      const stall = monitor.stallSince(tickAt);
      if (asksAtRandom) wakeAt = Math.min(wakeAt, this.#busySampler.look(slot, tickAt, now, stall));
    }
    this.#forgetEndedThreads();
    if (now - this.#lastThreadAt > WITHOUT_THREADS_MS) this.#endThread();
    return { wakeAt, needsLoop };
  }

  #lateness(slot: Slot, tickAt: number, now: number): Lateness {
    const isStalled = this.#monitors.get(slot.index)?.isStalledSince(tickAt) === true;
    const idleMode = slot.getInt(SlotInt.idleMode);
    if (idleMode === IdleMode.wanted) this.#idleThreads.learn(slot, tickAt);
    return lateness({
      tickAt,
      now,
      suspectAfterMs: slot.getTime(SlotTime.suspectAfterMs),
      // Its monitor excludes the suspension of a thread that was late already.
      suspendedUntil: isStalled ? 0 : this.#lastSuspensionEnd,
      isStalled,
      ...(idleMode === IdleMode.active && {
        idle: {
          lastAt: this.#idleThreads.lastIdle(slot),
          look: () => this.#idleThreads.look(slot, tickAt, now),
        },
      }),
    });
  }

  readonly #hasStalledThreadRun = (start: number, end: number): boolean => {
    for (const monitor of this.#monitors.values()) if (monitor.hasRun(start, end)) return true;
    return false;
  };

  /**
   * Ends the watchdog thread, not the process. Its files belong to the process and would stay open, so it closes them.
   */
  #endThread(): never {
    this.#suspensions.close();
    for (const monitor of this.#monitors.values()) monitor.close();
    this.#idleThreads.forget(() => true);
    this.#busySampler.forget(() => true);
    this.#observer.onEnd();
    process.exit();
  }

  #monitorOf(slot: Slot): StalledThreadMonitor {
    const known = this.#monitors.get(slot.index);
    if (known?.isOf(slot)) return known;
    known?.close();
    const monitor = new StalledThreadMonitor(this.#registry, slot, this.#observer);
    this.#monitors.set(slot.index, monitor);
    return monitor;
  }

  #forgetEndedThreads(): void {
    for (const [index, monitor] of this.#monitors) {
      if (monitor.isOf(this.#registry.slot(index))) continue;
      monitor.close();
      this.#monitors.delete(index);
    }
    const isGone = (index: number, generation: number): boolean => !this.#registry.slot(index).isLive(generation);
    this.#idleThreads.forget(isGone);
    this.#busySampler.forget(isGone);
  }
}
