import type { JSX } from 'preact';

import { cpuWaitSentence, cpuWaitText, shortCpuWaitText } from '../../../model/blocks/cpu-wait.js';
import { CAUSE_EXPLAINED, CAUSE_TEXT } from '../../../model/text/cause.js';
import type { Block } from '../../../model/types.js';

interface CauseLabelProps {
  /** A block, or all blocks of a culprit. */
  times: Pick<Block, 'cause' | 'durationMs' | 'runQueueMs'>;
  isLong?: boolean;
}

/** The cause and, if it is news, how much waiting for CPU stretched the block. */
export function CauseLabel({ times, isLong = false }: CauseLabelProps): JSX.Element {
  const { cause } = times;
  const cpuWait = isLong ? cpuWaitText(times) : shortCpuWaitText(times);
  return (
    <span class="cause" title={[CAUSE_EXPLAINED[cause], cpuWaitSentence(times)].filter(Boolean).join(' ')}>
      <i class={`dot ${cause}`} aria-hidden="true" />
      {CAUSE_TEXT[cause]}
      {cpuWait !== undefined && <span class="cpu-wait">{cpuWait}</span>}
    </span>
  );
}
