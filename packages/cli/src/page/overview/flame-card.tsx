import type { JSX } from 'preact';

import type { BlockFilter } from '../../model/blocks/filter.js';
import type { FlameNode } from '../../model/stacks/flame.js';
import type { DataSource, Unreachable } from '../data/source.js';
import { BlockedTimeFlame } from '../parts/flame/blocked-time-flame.js';
import { FlameLegend } from '../parts/flame/flame-legend.js';
import { useFlameState } from '../parts/flame/flame-state.js';
import { useLoaded } from '../parts/state/use-loaded.js';

interface FlameCardProps {
  source: DataSource;
  filter: BlockFilter;
  /** Changes with the blocks. */
  revision: unknown;
}

/** Flame graph of the filtered blocks. */
export function FlameCard({ source, filter, revision }: FlameCardProps): JSX.Element {
  const query = JSON.stringify({ ...filter, fromMs: undefined, toMs: undefined });
  const root = useLoaded(() => source.flame(filter), query, revision);
  return (
    <section class="card" aria-labelledby="flame">
      <div class="card-head">
        <h2 id="flame">Flame graph of the blocked time</h2>
        <FlameLegend />
      </div>
      <Graph root={root} highlight={filter.text} />
    </section>
  );
}

interface GraphProps {
  root: FlameNode | Unreachable | undefined;
  highlight: string | undefined;
}

function Graph({ root, highlight }: GraphProps): JSX.Element {
  const kept = useFlameState();
  if (root === 'unreachable') return <p class="nothing">Loopwatch does not answer: it has the stacks.</p>;
  if (!root || root.value === 0) return <p class="nothing">No stacks.</p>;
  return <BlockedTimeFlame root={root} highlight={highlight} kept={kept} />;
}
