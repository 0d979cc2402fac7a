import { fromShared } from '../contract/clock.js';
import type { Sample } from '../contract/model.js';
import { SlotTime } from '../contract/registry-layout.js';
import type { Slot } from '../contract/slots.js';

/** The same of the question for the time of the loop. */
export function currentBusyQuestion(slot: Slot | undefined): ReturnType<typeof currentQuestion> {
  return questionAt(slot, SlotTime.busyRequestedAt, SlotTime.busySentAt, SlotTime.busySentRunQueueMs);
}

/** When the watchdog asked the current question, on the clock of this thread. */
export function currentQuestion(slot: Slot | undefined): Pick<Sample, 'requestedAt' | 'sentAt' | 'sentRunQueueMs'> {
  return questionAt(slot, SlotTime.requestedAt, SlotTime.sentAt, SlotTime.sentRunQueueMs);
}

function questionAt(
  slot: Slot | undefined,
  requestedField: number,
  sentField: number,
  runQueueField: number,
): Pick<Sample, 'requestedAt' | 'sentAt' | 'sentRunQueueMs'> {
  const requestedAt = slot?.getTime(requestedField) ?? 0;
  const sentAt = slot?.getTime(sentField) ?? 0;
  const sentRunQueueMs = slot?.getTime(runQueueField) ?? NaN;
  return {
    requestedAt: fromShared(requestedAt),
    sentAt: sentAt < requestedAt ? undefined : fromShared(sentAt),
    sentRunQueueMs: Number.isNaN(sentRunQueueMs) ? undefined : sentRunQueueMs,
  };
}
