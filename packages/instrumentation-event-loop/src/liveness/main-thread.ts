import { SeenField } from '../contract/liveness-data.js';
import { IdleMode, SlotInt, SlotTime } from '../contract/registry-layout.js';
import type { Slots } from '../contract/slots.js';

/** What the main thread writes of its event loop. */
export interface MainThreadTick {
  /** When its loop iterated last, on the shared clock; 0 before the first time. */
  readonly tickAt: number;
  /** Age of the last tick from which it may be blocked; undefined in idle mode, where the tick may be old. */
  readonly suspectAfterMs: number | undefined;
}

/** A watchdog that has not looked for this time, ms, is held up, or the whole process was suspended. */
const NOT_LOOKED_MS = 400;

/**
 * Since when the main thread has been blocked, on the shared clock; undefined when it is not. What the watchdog has seen
 * is some milliseconds old: a block that it has seen can be over, and another one can be late that it has not seen yet.
 * The last tick says both.
 */
export function blockedSince(
  seen: Float64Array,
  { tickAt, suspectAfterMs }: MainThreadTick,
  now: number,
): number | undefined {
  const seenSince = seen[SeenField.blockedSince] ?? 0;
  if (seenSince > 0 && tickAt <= seenSince) return seenSince;
  if (tickAt === 0 || suspectAfterMs === undefined) return undefined;
  const lateAt = tickAt + suspectAfterMs;
  const lookedAt = seen[SeenField.lookedAt] ?? 0;
  // Once the watchdog has looked at a late thread, it knows better: the thread may be idle or may have been suspended.
  const isUnseen = lookedAt < lateAt && now - lookedAt < NOT_LOOKED_MS;
  return now >= lateAt && isUnseen ? tickAt : undefined;
}

export function mainThreadTick(slots: Slots): MainThreadTick {
  for (const slot of slots.live()) {
    if (slot.getInt(SlotInt.threadId) !== 0) continue;
    const isIdle = slot.getInt(SlotInt.idleMode) === IdleMode.active;
    return {
      tickAt: slot.getTime(SlotTime.tickAt),
      suspectAfterMs: isIdle ? undefined : slot.getTime(SlotTime.suspectAfterMs),
    };
  }
  return { tickAt: 0, suspectAfterMs: undefined };
}
