import type { Interval, Sample } from '../contract/model.js';

/** A part of a turn in which the thread did one thing. */
export interface Segment extends Interval {
  /** `idle`: asleep on purpose, which blocks nobody. */
  readonly kind: 'busy' | 'stuck' | 'idle';
  readonly samples: readonly Sample[];
}

/**
 * Cuts a turn of a worker thread at its sleeps. A pool worker waits for its next task in `Atomics.wait`, inside a turn
 * that may never end: asleep with nothing pending it is idle, asleep with work pending it is stuck, and in between it
 * works. The cuts are as fine as the samples.
 */
export function sleepSegments(turn: Interval, samples: readonly Sample[]): Segment[] {
  const segments: Segment[] = [];
  let current: { kind: Segment['kind']; start: number; samples: Sample[] } | undefined;
  for (const sample of samples) {
    const kind = kindOf(sample);
    if (current?.kind === kind) {
      current.samples.push(sample);
      continue;
    }
    const start = current === undefined ? turn.start : sample.requestedAt;
    if (current) segments.push({ ...current, end: start });
    current = { kind, start, samples: [sample] };
  }
  if (current) segments.push({ ...current, end: turn.end });
  return segments.length > 0 ? segments : [{ ...turn, kind: 'busy', samples: [] }];
}

function kindOf({ pending }: Sample): Segment['kind'] {
  if (pending === undefined) return 'busy';
  return pending.length === 0 ? 'idle' : 'stuck';
}
