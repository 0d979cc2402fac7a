/**
 * Where `GET /livez` and `GET /readyz` are answered, and from which length of a block on the main thread counts as dead,
 * or as not ready.
 */
export interface LivenessSettings extends LivenessThresholds {
  readonly host: string;
  readonly port: number;
}

export interface LivenessThresholds {
  readonly livenessThresholdMs: number;
  readonly readinessThresholdMs: number;
}

/** `workerData` of the liveness thread. */
export interface LivenessData {
  /** Buffer of the process's `Registry`, with the last tick of the main thread. */
  readonly registryBuffer: SharedArrayBuffer;
  /**
   * A `Float64Array` with the fields of `SeenField`, which the watchdog writes. The liveness thread reads it at each
   * request, so that the watchdog does not wake it.
   */
  readonly seen: SharedArrayBuffer;
  readonly settings: LivenessSettings;
}

/** What the watchdog has seen of the main thread when it looked last. Times are on the shared clock, in ms. */
export const SeenField = {
  /** Since when the main thread has been blocked; 0 while it is not. */
  blockedSince: 0,
  /** When the watchdog looked; 0 if it has not looked yet. */
  lookedAt: 1,
  length: 2,
} as const;

/** A message from the watchdog to the liveness thread. */
export type LivenessInput = { readonly settings: LivenessSettings } | KnownCulprit;

/** What blocks the main thread, in the block that began at `blockedSince`. */
export interface KnownCulprit {
  readonly culprit: string;
  readonly blockedSince: number;
}

/** A message from the liveness thread to the watchdog. `listens`: the port is open. */
export type LivenessOutput = 'listens' | LivenessProblem;

/** `GET /livez` and `GET /readyz` cannot be answered. */
export interface LivenessProblem {
  readonly livenessProblem: string;
  readonly isPortInUse: boolean;
}
