import type { Interval } from '../contract/interval.js';
import type { TrackedSpan } from '../export/tracked-span.js';
import type { ThreadMonitor } from './thread-monitor.js';
import type { ThreadGroup } from './worker-threads.js';

/** Increment it when the shared data changes. A copy of the package with another number does not monitor. */
export const PROTOCOL = 7;
const SHARED_SYMBOL = Symbol.for('loopwatch.thread');

/** Shared by all copies of the package in one realm of a thread: CommonJS and ES module copies, and other versions. */
export interface SharedThread {
  readonly protocol: number;
  monitor: ThreadMonitor | undefined;
  /** The SDK of this thread is the one that this package has started. */
  hasPresetSdk?: boolean;
  /** `/register` has been loaded. */
  isRegistered?: boolean;
  /** What is to be warned of once there is a logger. */
  warnings?: string[] | undefined;
}

export const shared = findOrPublish();

/** Reports the pending blocks now, and a block that lasts as far as it goes. */
export function flushThreadMonitor(): void {
  shared.monitor?.flushWithCurrent();
}

/** Sends a block of this worker thread to the main thread, which reports it. */
export function relayBlock(message: unknown): void {
  shared.monitor?.relayBlock(message);
}

/** Excludes the time from `start` on, until `excludeSince` says when it has ended. */
export function excludeFrom(start: number): void {
  shared.monitor?.excludeFrom(start);
}

/** Excludes the time since `start`, a `performance.now()` value of this thread, from blocks and lags. */
export function excludeSince(start: number): void {
  shared.monitor?.excludeSince(start);
}

/** Keeps blocks and lags until `releaseReports` is called, for a limited time in which the loop runs. */
export function holdReports(): void {
  shared.monitor?.hold();
}

/** Whether `holdReports` has kept a block; one that lasts is kept as far as it goes. */
export function hasHeldBlock(): boolean {
  return shared.monitor?.hasHeldBlock() ?? false;
}

/** Reports what `holdReports` has kept, and from now on everything when it is due. */
export function releaseReports(): void {
  shared.monitor?.release();
}

/** Records when the SDK starts that this package has started in this thread. */
export function setSdkStart(interval: Interval): void {
  shared.monitor?.setSdkStart(interval);
}

/** Usage of this thread and of the workers that it has started, since the last call. */
export function threadGroups(): readonly ThreadGroup[] {
  return shared.monitor?.threadGroups() ?? [];
}

/** Keeps a span that ends now, if a block may have delayed it: the block's report sets its wait. */
export function onSpanEnding(trackedSpan: TrackedSpan, now: number): void {
  shared.monitor?.onSpanEnding(trackedSpan, now);
}

function findOrPublish(): SharedThread {
  const existing = Reflect.get(globalThis, SHARED_SYMBOL) as SharedThread | undefined;
  if (existing) return existing;
  const created: SharedThread = { protocol: PROTOCOL, monitor: undefined };
  // On a frozen `globalThis` this fails, and each copy of the package has its own.
  Reflect.defineProperty(globalThis, SHARED_SYMBOL, { value: created, configurable: true, enumerable: false });
  return created;
}
