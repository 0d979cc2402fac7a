import process from 'node:process';
import { sharedNow } from '../../contract/clock.js';
import { Header, IdleMode, SlotInt, SlotTime } from '../../contract/registry-layout.js';
import type { Registry, Slot } from '../../contract/registry.js';
import { openSchedstat } from '../../contract/thread-times.js';
import { SuspensionFinder } from './suspension-finder.js';
import { closeSessions, hasOpenSession } from '../ask/counted-session.js';
import { CONFIRM_MS, IdleThreads } from './idle-threads.js';
import { StalledThreadMonitor, type StalledThreadObserver } from './stalled-thread-monitor.js';

/** How long it sleeps at the most, while no thread is there to be looked at, ms. */
const MAX_SLEEP_MS = 200;
/** How often it looks while a thread is late, ms: an exiting process waits for it. */
const MAX_LATE_SLEEP_MS = 20;
/** How long it goes without a turn of its own loop, ms. */
const ITERATION_MS = 1000;
/** How short it sleeps at the least, while all threads are well, ms. */
const MIN_SLEEP_MS = 5;
/** How long it stays when nobody is left to watch, ms. */
const WITHOUT_THREADS_MS = 500;

/** The watchdog's life: sleeps, looks at every thread's beat, and has those that are late asked who they are. */
export class WatchdogLoop {
  readonly #registry: Registry;
  readonly #observer: StalledThreadObserver;
  readonly #suspensions = new SuspensionFinder(openSchedstat('thread-self'));
  readonly #threads = new Map<number, StalledThreadMonitor>();
  readonly #enterIdleMode = new IdleThreads();
  #lastSuspensionEnd = 0;
  #lastThreadAt = sharedNow();

  constructor(registry: Registry, observer: StalledThreadObserver) {
    this.#registry = registry;
    this.#observer = observer;
  }

  start(): void {
    this.#iterate(sharedNow());
  }

  /** One turn of this thread's loop: looks until somebody is late, or until it is time to take messages. */
  readonly #iterate = (wantedAt: number): void => {
    const iterationEnd = sharedNow() + ITERATION_MS;
    for (let wanted = wantedAt; ;) {
      const { wakeAt, needsLoop } = this.#look(wanted);
      const now = sharedNow();
      this.#suspensions.beforeSleep(now);
      if (needsLoop || hasOpenSession() || this.#observer.isBusy()) {
        // Answers come by this thread's event loop.
        const ms = Math.max(1, Math.min(MAX_LATE_SLEEP_MS, wakeAt - now));
        setTimeout(this.#iterate, ms, now + ms);
        return;
      }
      // A futex costs a fraction of what a timer costs, and this is where the watchdog spends its life.
      const ms = Math.max(MIN_SLEEP_MS, wakeAt - now);
      const { ints } = this.#registry;
      const wasWoken = Atomics.wait(ints, Header.wake, Atomics.load(ints, Header.wake), ms) !== 'timed-out';
      wanted = wasWoken ? sharedNow() : now + ms;
      if (wasWoken || now > iterationEnd) {
        setImmediate(this.#iterate, wanted);
        return;
      }
    }
  };

  #look(wantedAt: number): { readonly wakeAt: number; readonly needsLoop: boolean } {
    const now = sharedNow();
    if (Atomics.load(this.#registry.ints, Header.exiting) === 1) {
      closeSessions();
      return { wakeAt: now + MAX_LATE_SLEEP_MS, needsLoop: true };
    }
    const suspensionStart = this.#suspensions.afterSleep(wantedAt, now);
    if (suspensionStart !== undefined) {
      this.#registry.addSuspension(suspensionStart, now);
      this.#lastSuspensionEnd = now;
    }
    let wakeAt = now + MAX_SLEEP_MS;
    let needsLoop = false;
    for (const slot of this.#registry.live()) {
      this.#lastThreadAt = now;
      const tickAt = slot.getTime(SlotTime.tickAt);
      if (tickAt === 0) continue;
      const { aliveAt, lateAt } = this.#alive(slot, tickAt, now);
      if (now < lateAt) {
        this.#threads.get(slot.index)?.recover();
        wakeAt = Math.min(wakeAt, lateAt);
        continue;
      }
      needsLoop = true;
      wakeAt = Math.min(wakeAt, this.#monitorOf(slot).look(tickAt, aliveAt, now));
    }
    this.#forgetEndedThreads();
    if (now - this.#lastThreadAt > WITHOUT_THREADS_MS) this.#end();
    return { wakeAt, needsLoop };
  }

  /** When the thread was last known to be well, without its tick, and from when on it is late. */
  #alive(slot: Slot, tickAt: number, now: number): { readonly aliveAt: number; readonly lateAt: number } {
    const suspectAfterMs = slot.getTime(SlotTime.suspectAfterMs);
    const rest = slot.getInt(SlotInt.idleMode);
    if (rest === IdleMode.wanted) this.#enterIdleMode.learn(slot, tickAt);
    if (rest !== IdleMode.active) {
      return { aliveAt: this.#lastSuspensionEnd, lateAt: Math.max(tickAt, this.#lastSuspensionEnd) + suspectAfterMs };
    }
    const aliveAt = Math.max(this.#lastSuspensionEnd, this.#enterIdleMode.lastIdle(slot));
    const lateAt = Math.max(tickAt, aliveAt) + suspectAfterMs;
    // Threads that rest are looked at together: each for itself, hundreds would have the watchdog awake all the time.
    if (now < lateAt - suspectAfterMs / 2) return { aliveAt, lateAt };
    const state = this.#enterIdleMode.look(slot, tickAt, now);
    if (state === 'idle') return { aliveAt: now, lateAt: now + suspectAfterMs };
    const confirmAt = now + Math.min(CONFIRM_MS, suspectAfterMs);
    return { aliveAt, lateAt: state === 'unsure' ? Math.max(lateAt, confirmAt) : lateAt };
  }

  /** Of this thread only. What it has opened is the process's, and would stay open. */
  #end(): never {
    this.#suspensions.close();
    for (const watch of this.#threads.values()) watch.close();
    this.#enterIdleMode.forget(() => true);
    process.exit();
  }

  #monitorOf(slot: Slot): StalledThreadMonitor {
    const known = this.#threads.get(slot.index);
    if (known?.isOf(slot)) return known;
    known?.close();
    const monitor = new StalledThreadMonitor(this.#registry, slot, this.#observer);
    this.#threads.set(slot.index, monitor);
    return monitor;
  }

  #forgetEndedThreads(): void {
    for (const [index, watch] of this.#threads) {
      if (watch.isOf(this.#registry.slot(index))) continue;
      watch.close();
      this.#threads.delete(index);
    }
    this.#enterIdleMode.forget((index, generation) => !this.#registry.slot(index).isLive(generation));
  }
}
