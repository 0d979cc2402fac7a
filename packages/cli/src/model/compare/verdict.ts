import type { Recording } from '../recording/recording.js';

/** What a recording must have to be compared. */
export type ComparedRecording = Pick<
  Recording,
  | 'blocks'
  | 'busy'
  | 'command'
  | 'directory'
  | 'droppedBlocks'
  | 'durationMs'
  | 'exit'
  | 'processes'
  | 'thresholdMs'
  | 'programVersion'
  | 'vcs'
>;

export const VERDICTS = ['new', 'worse', 'gone', 'better', 'unclear', 'same'] as const;
/**
 * `new`: only in head; `gone`: only in base; `worse`, `better`: more or less blocked time in head. `unclear`: a difference
 * that chance explains. `same`: hardly a difference.
 */
export type Verdict = (typeof VERDICTS)[number];

/** At most this probability of one false alarm or more, over all culprits of a comparison. */
export const SIGNIFICANCE_LEVEL = 0.05;
/** Without statistics, a smaller change is `unclear`. */
export const MIN_UNTESTED_CHANGE = 0.5;
