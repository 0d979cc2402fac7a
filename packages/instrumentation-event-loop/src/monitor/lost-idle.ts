import type { RecordedPeriod } from '../blocks/busy-period.js';
import { difference } from '../blocks/thread-times.js';
import type { Reading } from '../contract/model.js';

/**
 * Removes idle time from the beginning of a busy period. When a signal interrupts the poll (`SIGTERM`, `SIGINT`, the end
 * of a child process, `SIGCONT`), libuv forgets how long it has been idle in it, and that time looks busy. The watchdog
 * has seen the thread polling at `polledAt`, a proof that the loop was idle until then. When the work began after that
 * is estimated from the CPU time and the first sample.
 */
export function withoutLostIdle(period: RecordedPeriod, polledAt: number): RecordedPeriod {
  const { start, end, samples, before, after } = period;
  if (polledAt <= start || polledAt >= end) return period;
  const usedMs = usedBetween(before, after);
  const startingAt = (at: number): RecordedPeriod => ({ ...period, start: at, lostIdleMs: at - start });
  if (usedMs === undefined) return startingAt(polledAt);
  const latest = samples.find(({ requestedAt }) => requestedAt > polledAt)?.requestedAt ?? end;
  // Without CPU time before the first sample, the work, a call that sleeps, began somewhere before: in the middle, the
  // maximum error is the smallest.
  const workStart = end - usedMs < latest ? end - usedMs : (polledAt + latest) / 2;
  return startingAt(Math.max(polledAt, workStart));
}

/** Time on a CPU and in the run queue. */
function usedBetween(before: Reading | undefined, after: Reading): number | undefined {
  const cpuMs = difference(after.times?.cpuMs, before?.times?.cpuMs);
  const runQueueMs = difference(after.times?.runQueueMs, before?.times?.runQueueMs) ?? 0;
  return cpuMs === undefined ? undefined : Math.max(0, cpuMs + runQueueMs);
}
