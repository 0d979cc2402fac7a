import { formatShare } from './format.js';

/** Smaller shares of a wait for a CPU are not said: any machine has some. */
const MIN_SHARE = 0.2;

/** `60 % of it waiting for CPU`, of the busy time of a loop; empty where it is little or not known. */
export function cpuWaitShareText(runQueueMs: number | undefined, busyMs: number): string {
  const share = runQueueMs === undefined || busyMs <= 0 ? 0 : runQueueMs / busyMs;
  return share < MIN_SHARE ? '' : `${formatShare(Math.min(1, share))} of it waiting for CPU`;
}
