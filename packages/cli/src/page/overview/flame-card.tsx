import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { BlockFilter } from '../../model/filter.js';
import type { FlameNode } from '../../model/flame.js';
import type { DataSource } from '../data/source.js';
import { FlameGraph } from '../parts/flame-graph.js';

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
  const [root, setRoot] = useState<FlameNode>();
  const lastMs = useRef(0);
  const query = JSON.stringify({ ...filter, fromMs: undefined, toMs: undefined });

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
  // A change of the filter is shown at once.
  useEffect(() => {
    lastMs.current = 0;
  }, [query]);

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
      {root && root.value > 0 ? <FlameGraph root={root} highlight={filter.text} /> : <p class="nothing">No stacks.</p>}
    </section>
  );
}
