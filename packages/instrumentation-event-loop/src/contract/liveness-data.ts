/** Where `GET /livez` is answered, and from when on the main thread counts as dead. */
export interface LivenessSettings {
  readonly host: string;
  readonly port: number;
  readonly thresholdMs: number;
}

/** `workerData` of the liveness thread. */
export interface LivenessData {
  /**
   * A `Float64Array` of one element, which the watchdog writes: since when the main thread has been blocked, on the
   * shared clock, in ms; 0 while it is not. The liveness thread reads it at each request, so that the watchdog does not
   * wake it.
   */
  readonly blockedSince: SharedArrayBuffer;
  readonly settings: LivenessSettings;
}

/** A message from the watchdog to the liveness thread. */
export type LivenessInput = { readonly settings: LivenessSettings } | KnownCulprit;

/** What blocks the main thread, in the block that began at `blockedSince`. */
export interface KnownCulprit {
  readonly culprit: string;
  readonly blockedSince: number;
}

/** A message from the liveness thread to the watchdog. `listens`: the port is open. */
export type LivenessOutput = 'listens' | LivenessProblem;

/** `GET /livez` cannot be answered. */
export interface LivenessProblem {
  readonly livenessProblem: string;
  readonly isPortInUse: boolean;
}
