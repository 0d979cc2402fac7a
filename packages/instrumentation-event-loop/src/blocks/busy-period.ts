import type { SpanIds } from '../contract/hang-report.js';
import type { Interval } from '../contract/interval.js';
import type { Reading, Sample, SpanEnding } from '../contract/model.js';

/** A period in which the loop did not poll, with its samples and readings. It may be a block. */
export interface BusyPeriod extends Interval {
  /** Identifies the period; it holds no data. */
  readonly id: object;
  /** The last `event-loop-hang` span of the period. */
  readonly hang: SpanIds | undefined;
  /** The period may be part of app start-up. */
  readonly isStartUp: boolean;
  readonly samples: readonly Sample[];
  /** Spans that ended within the period, in order of time. */
  readonly endings: readonly SpanEnding[];
  /** Readings taken before the period's start and after its end. */
  readonly before: Reading | undefined;
  readonly after: Reading;
}
