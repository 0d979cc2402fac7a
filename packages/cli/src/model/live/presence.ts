import { formatMs } from '../text/format.js';

/** When a server last received data of an instance. */
export interface InstanceSeen {
  readonly instance: string;
  /** Epoch, ms, by the server's clock. */
  readonly lastSeenMs: number;
  /** How late its newest data arrives, by its own clock; negative if it comes from the future. Absent until that is known. */
  readonly delayMs?: number;
}

/** An instance without data for longer is shown as gone: one and a half of the default interval of metrics. */
export const QUIET_MS = 90_000;
/** Half of the round trip through a busy host, and the resolution of exporters, do not count as skew. */
const MAX_AHEAD_MS = 2_000;
/** Batches and intervals of metrics delay data by up to a minute. */
const MAX_BEHIND_MS = 90_000;

/** `last seen 11 min ago`; undefined if data arrived lately. */
export function lastSeenText(seen: InstanceSeen | undefined, nowMs: number): string | undefined {
  if (!seen || nowMs - seen.lastSeenMs < QUIET_MS) return undefined;
  return `last seen ${agoText(nowMs - seen.lastSeenMs)}`;
}

/** `40 s ago`, `11 min ago`, `2 h ago`. */
export function agoText(ms: number): string {
  if (ms < 100_000) return `${Math.max(0, Math.round(ms / 1000))} s ago`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 100 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}

/**
 * Says that the clock of an instance differs from the server's; undefined if not. A clock that is slow looks like data that
 * something on the way holds back.
 */
export function skewText({ delayMs }: InstanceSeen): string | undefined {
  if (delayMs === undefined) return undefined;
  if (delayMs < -MAX_AHEAD_MS) return `clock ${formatMs(-delayMs)} ahead`;
  return delayMs > MAX_BEHIND_MS ? `clock ${formatMs(delayMs)} behind, or its data arrives late` : undefined;
}
