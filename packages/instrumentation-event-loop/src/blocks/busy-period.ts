import type { SpanIds } from '../contract/hang-report.js';
import type { Interval } from '../contract/interval.js';
import type { Reading, Sample, SpanEnding, StartUp, ThreadLooks } from '../contract/model.js';

/** A period in which the loop did not poll, with its samples and readings. It may be a block. */
export interface BusyPeriod extends Interval {
  /** The last `event-loop-hang` span of the period. */
  readonly hang: SpanIds | undefined;
  readonly startUp: StartUp;
  /** The loop may have been idle in this period: see `LoopMonitor`. */
  readonly mayHaveLostIdle: boolean;
  /** How long the loop was idle right before this period without any trace in its idle time, ms. */
  readonly lostIdleMs?: number;
  readonly samples: readonly Sample[];
  /** What the watchdog saw of the thread in the whole period; undefined for a part of one. */
  readonly looks?: ThreadLooks | undefined;
  /** Spans that ended within the period, in order of time. */
  readonly endings: readonly SpanEnding[];
  /** Readings taken before the period's start and after its end. */
  readonly before: Reading | undefined;
  readonly after: Reading;
}

/** A busy period as recorded, before judging adds the spans that ended in it. */
export type RecordedPeriod = Omit<BusyPeriod, 'endings'>;
