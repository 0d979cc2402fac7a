import type { SpanIds } from '../contract/hang-report.js';
import type { Interval } from '../contract/interval.js';
import type { Reading, Sample } from '../contract/model.js';

/** A stretch in which the loop did not poll, with all that was recorded of it: perhaps a block. */
export interface BusyPeriod extends Interval {
  readonly hang: SpanIds | undefined;
  /** The application was perhaps still starting up. */
  readonly isStartUp: boolean;
  readonly samples: readonly Sample[];
  readonly before: Reading | undefined;
  readonly after: Reading;
}
