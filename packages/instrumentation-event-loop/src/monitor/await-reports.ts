import { sharedNow } from '../contract/clock.js';
import { Header, IdleMode, Sleep, SlotInt, SlotTime } from '../contract/registry-layout.js';
import type { Registry, Slot } from '../contract/registry.js';

/** How long the end of a worker waits for its report, ms: a block is judged 25 ms after its end. */
const REPORT_TIMEOUT_MS = 50;
/** How long it waits for a worker that is blocked and may be about to return from its task, ms. */
const RETURN_TIMEOUT_MS = 5;

// Taken before a worker thread wraps it.
const { wait } = Atomics;

/**
 * Waits until a worker that has a block to report has done so; `undefined`: all workers. Called before a worker is
 * terminated: a pool is often destroyed as soon as its last task has returned, and its worker would take the report of
 * that task with it.
 */
export function awaitReports(registry: Registry, threadId?: number): void {
  const startedAt = sharedNow();
  const mustWait = (): boolean => {
    const elapsedMs = sharedNow() - startedAt;
    for (const slot of registry.live()) {
      const isMeant = threadId === undefined || slot.getInt(SlotInt.threadId) === threadId;
      if (isMeant && elapsedMs < timeoutOf(slot, startedAt)) return true;
    }
    return false;
  };
  while (mustWait()) wait(registry.ints, Header.wake, Atomics.load(registry.ints, Header.wake), 1);
}

function timeoutOf(slot: Slot, now: number): number {
  if (slot.getInt(SlotInt.threadId) === 0) return 0;
  const sleep = slot.getInt(SlotInt.sleep);
  if (sleep === Sleep.reporting) return REPORT_TIMEOUT_MS;
  const tickAt = slot.getTime(SlotTime.tickAt);
  // In idle mode, the last tick of a thread that is not blocked can be old, but the watchdog has seen it polling.
  const polledAt = slot.getInt(SlotInt.idleMode) === IdleMode.active ? slot.getTime(SlotTime.polledAt) : 0;
  const isLate =
    sleep === Sleep.none && tickAt > 0 && now - Math.max(tickAt, polledAt) >= slot.getTime(SlotTime.suspectAfterMs);
  return isLate ? RETURN_TIMEOUT_MS : 0;
}
