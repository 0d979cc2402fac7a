import type { HangDestination, HangNotice } from './hang-report.js';

/** `workerData` of the watchdog thread. */
export interface WatchdogData {
  /** Buffer of the process's `Registry`. */
  readonly registryBuffer: SharedArrayBuffer;
  readonly settings: WatchdogSettings;
}

/** What the watchdog does besides sampling. A change is posted to it as a message. */
export interface WatchdogSettings {
  readonly hangDestinations: readonly HangDestination[];
  /** Undefined: off. */
  readonly liveness: LivenessSettings | undefined;
  /** The watchdog sends a `HangNotice` for each hang. */
  readonly noticesHangs: boolean;
}

/** Where the watchdog answers `GET /livez`, and from when on the main thread counts as dead. */
export interface LivenessSettings {
  readonly host: string;
  readonly port: number;
  readonly thresholdMs: number;
}

/** A message from the watchdog to the thread that has started it. */
export type WatchdogMessage = LivenessProblem | HangNotice;

/** Message from the watchdog: it cannot listen on the liveness port. */
export interface LivenessProblem {
  readonly livenessProblem: string;
  readonly isPortInUse: boolean;
}
