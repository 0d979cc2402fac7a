import type { HangDestination } from './hang-report.js';

/** What the watchdog thread is started with. */
export interface WatchdogData {
  /** Of the process's `Registry`. */
  readonly registryBuffer: SharedArrayBuffer;
  readonly hangDestinations: readonly HangDestination[];
}
