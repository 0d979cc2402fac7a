/** How often the heartbeat beats, in ms: only as densely as the threshold needs. */
export function heartbeatInterval(thresholdMs: number): number {
  return Math.min(50, Math.max(5, thresholdMs / 2));
}

/** From when on a turn is suspected: half of the threshold, but not before a healthy idle loop has had time to beat. */
export function suspicionDelay(thresholdMs: number): number {
  return Math.max(thresholdMs / 2, heartbeatInterval(thresholdMs) * 1.5 + 2);
}
