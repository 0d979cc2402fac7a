import type { HangDestination } from './hang-report.js';

/** `workerData` of the watchdog thread. */
export interface WatchdogData {
  /** Buffer of the process's `Registry`. */
  readonly registryBuffer: SharedArrayBuffer;
  readonly hangDestinations: readonly HangDestination[];
}
