import { formatShare } from './format.js';

/* What the busy time of a loop was besides the work of its functions. */

/** Smaller shares are not said: any machine has some waits for a CPU, and any program some collections. */
const MIN_SHARE = 0.2;

/** `60 % of it waiting for CPU`; empty where it is little or not known. */
export function cpuWaitShareText(runQueueMs: number | undefined, busyMs: number): string {
  return shareText(runQueueMs, busyMs, 'waiting for CPU');
}

/** `44 % of it in garbage collections`; empty where it is little or not known. */
export function gcShareText(gcMs: number | undefined, busyMs: number): string {
  return shareText(gcMs, busyMs, 'in garbage collections');
}

function shareText(ms: number | undefined, busyMs: number, what: string): string {
  const share = ms === undefined || busyMs <= 0 ? 0 : ms / busyMs;
  return share < MIN_SHARE ? '' : `${formatShare(Math.min(1, share))} of it ${what}`;
}
