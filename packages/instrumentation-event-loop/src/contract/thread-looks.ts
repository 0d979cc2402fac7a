import type { Interval } from './interval.js';
import { fromShared } from './clock.js';
import type { ThreadLooks } from './model.js';
import { SlotInt, SlotTime } from './registry-layout.js';
import type { Slot } from './slots.js';

/** What the watchdog has seen of the slot's thread within a busy period; undefined where it has not looked then. */
export function looksWithin({ start, end }: Interval, slot: Slot | undefined): ThreadLooks | undefined {
  const since = fromShared(slot?.getTime(SlotTime.looksSince) ?? 0);
  if (slot === undefined || since < start || since > end) return undefined;
  const systemShare = slot.getTime(SlotTime.systemShare);
  return {
    runnable: slot.getInt(SlotInt.runnableLooks),
    asleep: slot.getInt(SlotInt.sleepingLooks),
    inLock: slot.getInt(SlotInt.lockedLooks),
    systemShare: Number.isNaN(systemShare) ? undefined : systemShare,
  };
}
