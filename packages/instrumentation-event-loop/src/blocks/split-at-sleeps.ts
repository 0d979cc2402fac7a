import type { Interval } from '../contract/interval.js';
import type { Reading, Sample } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';

/** A part of a busy period in which the thread either worked or slept. */
export interface Segment extends Interval {
  /** `busy`: working; `idle`: asleep with nothing pending; `stuck`: asleep with work pending. */
  readonly kind: 'busy' | 'stuck' | 'idle';
  readonly samples: readonly Sample[];
}

/**
 * Splits a busy period of a worker thread at its sleeps. A pool worker waits for its next task in `Atomics.wait`,
 * inside an iteration that may never end. Returns the busy and stuck parts, which may be blocks, and the idle
 * intervals, which are not counted.
 */
export function splitAtSleeps(period: BusyPeriod): { parts: BusyPeriod[]; idle: Interval[] } {
  const segments = sleepSegments(period, period.samples);
  if (segments.length === 1 && segments[0]?.kind !== 'idle') return { parts: [period], idle: [] };
  const reading = (at: number, sample: Sample | undefined): Reading | undefined =>
    // The loop does not poll within a busy period, so the idle time does not change.
    sample && { at, idleTime: period.after.idleTime, times: sample.threadTimes };
  const parts = segments.flatMap((segment, i) => {
    const { kind, start, end, samples } = segment;
    if (kind === 'idle') return [];
    // A sleeping thread uses no CPU, so a reading within the sleep is also valid at its end.
    const first = kind === 'busy' ? segments[i - 1]?.samples.at(-1) : samples[0];
    const before = reading(start, first) ?? period.before;
    const after = reading(end, segments[i + 1]?.samples[0]) ?? period.after;
    return [{ ...period, start, end, samples, looks: undefined, before, after }];
  });
  return {
    // The hang span belongs to the last part: the watchdog reports the current one.
    parts: parts.map((part, i) => (i === parts.length - 1 ? part : { ...part, hang: undefined })),
    idle: segments.filter(({ kind }) => kind === 'idle'),
  };
}

/** The segments of a busy period, in order. Their bounds are as exact as the samples are frequent. */
export function sleepSegments(period: Interval, samples: readonly Sample[]): Segment[] {
  const segments: Segment[] = [];
  let current: { kind: Segment['kind']; start: number; samples: Sample[] } | undefined;
  for (const sample of samples) {
    const kind = kindOf(sample);
    if (current?.kind === kind) {
      current.samples.push(sample);
      continue;
    }
    const start = current === undefined ? period.start : sample.requestedAt;
    if (current) segments.push({ ...current, end: start });
    current = { kind, start, samples: [sample] };
  }
  if (current) segments.push({ ...current, end: period.end });
  return segments.length > 0 ? segments : [{ start: period.start, end: period.end, kind: 'busy', samples: [] }];
}

function kindOf({ pending }: Sample): Segment['kind'] {
  if (pending === undefined) return 'busy';
  return pending.length === 0 ? 'idle' : 'stuck';
}
