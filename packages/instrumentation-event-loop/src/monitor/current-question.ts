import { fromShared } from '../contract/clock.js';
import type { Sample } from '../contract/model.js';
import { SlotTime } from '../contract/registry-layout.js';
import type { Slot } from '../contract/slots.js';

/** When the watchdog asked the current question, on the clock of this thread. */
export function currentQuestion(slot: Slot | undefined): Pick<Sample, 'requestedAt' | 'sentAt' | 'sentRunQueueMs'> {
  const requestedAt = slot?.getTime(SlotTime.requestedAt) ?? 0;
  const sentAt = slot?.getTime(SlotTime.sentAt) ?? 0;
  const sentRunQueueMs = slot?.getTime(SlotTime.sentRunQueueMs) ?? NaN;
  return {
    requestedAt: fromShared(requestedAt),
    sentAt: sentAt < requestedAt ? undefined : fromShared(sentAt),
    sentRunQueueMs: Number.isNaN(sentRunQueueMs) ? undefined : sentRunQueueMs,
  };
}
