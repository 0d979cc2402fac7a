import type { SpanIds } from '../contract/hang-report.js';
import type { Interval } from '../contract/interval.js';
import type { Reading, Sample, StartUp } from '../contract/model.js';

/** A period in which the loop did not poll, with its samples and readings. It may be a block. */
export interface BusyPeriod extends Interval {
  /** The last `event-loop-hang` span of the period. */
  readonly hang: SpanIds | undefined;
  readonly startUp: StartUp;
  /** The loop may have been idle in this period: see `LoopMonitor`. */
  readonly mayHaveLostIdle: boolean;
  readonly samples: readonly Sample[];
  /** Readings taken before the period's start and after its end. */
  readonly before: Reading | undefined;
  readonly after: Reading;
}
