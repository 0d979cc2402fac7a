import type { HangDestination, HangNotice } from './hang-report.js';
import type { LivenessProblem, LivenessSettings } from './liveness-data.js';
import type { PoolMessage, ThreadPoolSettings } from './thread-pool-data.js';

/** `workerData` of the watchdog thread. */
export interface WatchdogData {
  /** Buffer of the process's `Registry`. */
  readonly registryBuffer: SharedArrayBuffer;
  readonly settings: WatchdogSettings;
  /** Program of the liveness thread. */
  readonly livenessSource: string;
  /** Path of the program; undefined without one. */
  readonly script: string | undefined;
  /** Made by `createPoolBuffer`. */
  readonly poolBuffer: SharedArrayBuffer;
}

/** What the watchdog does besides sampling. A change is posted to it as a message. */
export interface WatchdogSettings {
  readonly hangDestinations: readonly HangDestination[];
  /** Undefined: off. */
  readonly liveness: LivenessSettings | undefined;
  /** The watchdog sends a `HangNotice` for each hang. */
  readonly noticesHangs: boolean;
  /** Undefined: libuv's thread pool is not watched. */
  readonly threadPool: ThreadPoolSettings | undefined;
}

/** No blocked thread has answered, in whatever way it was asked. */
interface UnaskableNotice {
  readonly unaskable: true;
}

/** A receiver, by its origin, does not take the reports of hangs. */
interface UndeliveredNotice {
  readonly undelivered: string;
}

/** A message from the watchdog to the thread that has started it. */
export type WatchdogMessage = LivenessProblem | HangNotice | PoolMessage | UnaskableNotice | UndeliveredNotice;
