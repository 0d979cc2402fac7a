import type { Block } from '../types.js';

/** What a block's thread did in a part of its time. `offCpu`: asleep or in the run queue, where the system does not tell which. */
export type TimeUse = 'cpu' | 'gc' | 'queue' | 'asleep' | 'offCpu';

export interface TimePart {
  readonly use: TimeUse;
  readonly ms: number;
}

/**
 * How the block's time divides; the parts add up to its duration. The measured times are clipped to it: they come from
 * several clocks, and a garbage collection may itself have waited for CPU. Empty if the CPU time is unknown.
 */
export function timeParts({ durationMs, cpuMs, gcMs = 0, runQueueMs }: Block): TimePart[] {
  if (cpuMs === undefined || durationMs <= 0) return [];
  const onCpuMs = clamp(cpuMs, durationMs);
  const collectingMs = clamp(gcMs, onCpuMs);
  const queuedMs = clamp(runQueueMs ?? 0, durationMs - onCpuMs);
  return [
    { use: 'cpu', ms: onCpuMs - collectingMs },
    { use: 'gc', ms: collectingMs },
    { use: 'queue', ms: queuedMs },
    { use: runQueueMs === undefined ? 'offCpu' : 'asleep', ms: durationMs - onCpuMs - queuedMs },
  ];
}

function clamp(ms: number, maximumMs: number): number {
  return Math.min(Math.max(0, ms), maximumMs);
}
