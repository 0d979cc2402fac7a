import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { BlockFilter } from '../../model/filter.js';
import type { FlameNode } from '../../model/flame.js';
import type { DataSource, Unreachable } from '../data/source.js';
import { BlockedTimeFlame } from '../parts/blocked-time-flame.js';
import { useFlameState } from '../parts/flame-state.js';

interface FlameCardProps {
  source: DataSource;
  filter: BlockFilter;
  /** Changes with the blocks. */
  revision: unknown;
}

/** Minimum interval between two drawings of a live graph. */
const MIN_INTERVAL_MS = 1_500;

/** Flame graph of the filtered blocks. */
export function FlameCard({ source, filter, revision }: FlameCardProps): JSX.Element {
  const [root, setRoot] = useState<FlameNode | Unreachable>();
  const lastMs = useRef(0);
  const query = JSON.stringify({ ...filter, fromMs: undefined, toMs: undefined });

  // A change of the filter is shown at once: this effect must run before the next one.
  useEffect(() => {
    lastMs.current = 0;
  }, [query]);
  useEffect(() => {
    let current = true;
    const load = (): void => {
      lastMs.current = Date.now();
      void source.flame(filter).then((loaded) => {
        if (current) setRoot(loaded);
      });
    };
    const timer = setTimeout(load, Math.max(0, lastMs.current + MIN_INTERVAL_MS - Date.now()));
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [source, revision]);

  return (
    <section class="card" aria-labelledby="flame">
      <div class="card-head">
        <h2 id="flame">Flame graph of the blocked time</h2>
        <ul class="legend">
          <li>
            <i class="swatch application" aria-hidden="true" />
            Application
          </li>
          <li>
            <i class="swatch dependency" aria-hidden="true" />
            node_modules
          </li>
          <li>
            <i class="swatch node" aria-hidden="true" />
            Node.js
          </li>
        </ul>
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
