import { SlotTime } from '../contract/registry-layout.js';
import type { Slot } from '../contract/slots.js';
import { suspicionDelay } from '../detection/heartbeat.js';
import type { Subscribers } from './subscribers.js';

/** Tells the watchdog what the subscribers of the thread want. `mayHang`: a long block may be reported as a hang now. */
export function writeSettings(slot: Slot, subscribers: Subscribers, mayHang: boolean): void {
  const hangAfterMs = subscribers.smallest(({ hangThresholdMs }) => (hangThresholdMs > 0 ? hangThresholdMs : Infinity));
  const soFarAfterMs = subscribers.smallest(({ soFarThresholdMs }) => soFarThresholdMs);
  slot.setTime(SlotTime.hangAfterMs, mayHang && hangAfterMs < Infinity ? hangAfterMs : 0);
  slot.setTime(SlotTime.soFarAfterMs, mayHang && soFarAfterMs < Infinity ? soFarAfterMs : 0);
  slot.setTime(SlotTime.suspectAfterMs, suspicionDelay(subscribers.thresholdMs));
  slot.setTime(
    SlotTime.sampleIntervalMs,
    subscribers.smallest(({ sampleIntervalMs }) => sampleIntervalMs),
  );
  slot.setTime(
    SlotTime.busySamplesPerSecond,
    -subscribers.smallest(({ watchdog, busySamplesPerSecond }) => (watchdog ? -busySamplesPerSecond : 0)),
  );
}
