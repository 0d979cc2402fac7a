import type { JSX } from 'preact';

import { summariseGroups, victimsText } from '../../model/blocks/victims.js';
import type { BlockRow, CulpritDetail } from '../../model/live/page.js';
import type { Unreachable } from '../data/source.js';
import { VictimGroups } from '../parts/facts/victims.js';

interface WaitingProps {
  blocks: readonly BlockRow[];
  detail: CulpritDetail | Unreachable | undefined;
  jaegerUrl: string | undefined;
}

/** Who waited for the culprit, by name, with links to their traces. Absent where no request waited. */
export function Waiting({ blocks, detail, jaegerUrl }: WaitingProps): JSX.Element | null {
  if (!blocks.some(({ victimCount = 0 }) => victimCount > 0)) return null;
  const groups = typeof detail === 'object' ? detail.victims : [];
  const areAllKnown = blocks.every(({ victimCount = 0, victimSummary }) => victimCount === 0 || victimSummary);
  return (
    <section class="card" aria-labelledby="waiting">
      <h2 id="waiting">Who waited</h2>
      {detail === 'unreachable' && <p class="nothing">Loopwatch does not answer: it knows the names.</p>}
      {groups.length > 0 && (
        <p>
          {areAllKnown ? '' : 'At least '}
          {victimsText(summariseGroups(groups))}.
        </p>
      )}
      <VictimGroups groups={groups} jaegerUrl={jaegerUrl} />
      {groups.length > 0 && (
        <p class="hint">
          A request that several blocks delayed is counted once, with its longest wait for one of them.
        </p>
      )}
    </section>
  );
}
