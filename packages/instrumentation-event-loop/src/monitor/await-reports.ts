import { Atomics, Math } from '../contract/built-ins.js';
import { sharedNow } from '../contract/clock.js';
import { Ending, Header, IdleMode, Sleep, SlotInt, SlotTime } from '../contract/registry-layout.js';
import type { Registry } from '../contract/registry.js';
import type { Slot } from '../contract/slots.js';

/** How long the end of a worker waits for its report, ms: a block is judged 25 ms after its end. */
const REPORT_TIMEOUT_MS = 50;
/** How long it waits for a worker that is blocked, ms: the worker returns from its task, or reports its block so far. */
const BLOCKED_TIMEOUT_MS = 50;
/** The same where many workers end in a row, ms. */
const SHORT_BLOCKED_TIMEOUT_MS = 5;
/** How long the ends of blocked workers wait within a second, ms, until their timeout becomes the short one. */
const MAX_WAIT_PER_SECOND_MS = 100;

let secondStart = -Infinity;
let waitedMs = 0;

/**
 * Waits until a worker that has a block to report has done so; `undefined`: all workers. Called before a worker is
 * terminated: a pool is often destroyed as soon as its last task has returned, and its worker would take the report of
 * that task with it. A worker that is still blocked is asked by the watchdog, and reports its block so far.
 */
export function awaitReports(registry: Registry, threadId?: number): void {
  const startedAt = sharedNow();
  if (startedAt - secondStart > 1000) {
    secondStart = startedAt;
    waitedMs = 0;
  }
  const isMeant = (slot: Slot): boolean => threadId === undefined || slot.getInt(SlotInt.threadId) === threadId;
  const blockedTimeoutMs = waitedMs < MAX_WAIT_PER_SECOND_MS ? BLOCKED_TIMEOUT_MS : SHORT_BLOCKED_TIMEOUT_MS;
  registry.someLive((slot) => {
    const isTerminated = slot.getInt(SlotInt.ending) === Ending.terminated;
    if (isMeant(slot) && !isTerminated && isBlocked(slot, startedAt)) slot.setInt(SlotInt.ending, Ending.wanted);
    return false;
  });
  Atomics.add(registry.ints, Header.wake, 1);
  Atomics.notify(registry.ints, Header.wake);
  const mustWait = (): boolean => {
    const elapsedMs = sharedNow() - startedAt;
    return registry.someLive((slot) => isMeant(slot) && elapsedMs < timeoutOf(slot, startedAt, blockedTimeoutMs));
  };
  while (mustWait()) Atomics.wait(registry.ints, Header.wake, Atomics.load(registry.ints, Header.wake), 1);
  waitedMs += sharedNow() - startedAt;
}

function timeoutOf(slot: Slot, startedAt: number, blockedTimeoutMs: number): number {
  if (slot.getInt(SlotInt.threadId) === 0 || hasReported(slot)) return 0;
  if (slot.getInt(SlotInt.sleep) === Sleep.reporting) return REPORT_TIMEOUT_MS;
  return isBlocked(slot, startedAt) ? blockedTimeoutMs : 0;
}

/** Also where it cannot any more, because it has been terminated before. */
function hasReported(slot: Slot): boolean {
  return slot.getInt(SlotInt.ending) >= Ending.reported;
}

function isBlocked(slot: Slot, now: number): boolean {
  if (slot.getInt(SlotInt.threadId) === 0) return false;
  const tickAt = slot.getTime(SlotTime.tickAt);
  // In idle mode, the last tick of a thread that is not blocked can be old, but the watchdog has seen it polling.
  const polledAt = slot.getInt(SlotInt.idleMode) === IdleMode.active ? slot.getTime(SlotTime.polledAt) : 0;
  const sleep = slot.getInt(SlotInt.sleep);
  // A new block keeps the worker from reporting its last one.
  const isReportDue = sleep === Sleep.reporting && !hasReported(slot);
  return (
    (sleep === Sleep.none || isReportDue) &&
    tickAt > 0 &&
    now - Math.max(tickAt, polledAt) >= slot.getTime(SlotTime.suspectAfterMs)
  );
}
