import { threadId } from 'node:worker_threads';
import type { JudgeContext } from '../blocks/judge.js';
import { fromShared } from '../contract/clock.js';
import type { ContextReader } from '../contract/context-reader.js';
import type { Interval } from '../contract/interval.js';
import { SlotTime } from '../contract/registry-layout.js';
import type { Registry } from '../contract/registry.js';
import type { Slot } from '../contract/slots.js';
import type { GcMeter } from '../probe/gc-meter.js';
import type { OwnWork } from './own-work.js';
import { mapStack } from './source-map.js';
import type { Subscribers } from './subscribers.js';

export interface JudgeInputOptions {
  readonly registry: Registry;
  readonly slot: Slot | undefined;
  readonly subscribers: Subscribers;
  readonly contexts: ContextReader;
  readonly threadName: string;
  readonly sdkStart: () => Interval | undefined;
  readonly gcMeter: GcMeter;
  readonly ownWork: OwnWork;
  readonly isSampled: () => boolean;
}

/** What the judgement is given besides the busy period, as known now. */
export function judgeInput(options: JudgeInputOptions): JudgeContext {
  const { registry, slot, subscribers, contexts, threadName, sdkStart, gcMeter, ownWork, isSampled } = options;
  const suspended = suspensions(registry);
  return {
    thresholdMs: subscribers.thresholdMs,
    excluded: [...suspended, ...debuggerStarts(slot)],
    standstills: suspended,
    ownWork: ownWork.intervals,
    sdkStart: sdkStart(),
    gc: gcMeter.pauses(),
    countsStartUp: subscribers.countsStartUp,
    isSampled: isSampled(),
    threadId,
    threadName,
    infoOf: (context) => contexts.infoOf(context),
    mapStack,
  };
}

/** When the process was suspended, on the clock of this thread. */
export function suspensions(registry: Registry): Interval[] {
  return registry.suspensions().map(({ start, end }) => ({ start: fromShared(start), end: fromShared(end) }));
}

/** When the watchdog last switched its debugger on in this thread. */
export function debuggerStarts(slot: Slot | undefined): Interval[] {
  if (!slot) return [];
  const [start, end] = [slot.getTime(SlotTime.debuggerFrom), slot.getTime(SlotTime.debuggerUntil)];
  return [{ start: fromShared(start), end: fromShared(end) }];
}
