import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { formatMs } from '../../model/format.js';
import type { Instance, Victim } from '../../model/types.js';
import { ShowMore } from '../parts/show-more.js';
import { TraceLink } from '../parts/trace-link.js';

interface VictimsProps {
  victims: readonly Victim[];
  instances: ReadonlyMap<string, Instance>;
  jaegerUrl: string | undefined;
}

const FIRST_ROWS = 10;

/** Spans, usually of other traces, that the block delayed. */
export function Victims({ victims, instances, jaegerUrl }: VictimsProps): JSX.Element {
  const [showAll, setShowAll] = useState(false);
  const rows = [...victims].sort((a, b) => (b.waitMs ?? 0) - (a.waitMs ?? 0));
  const shown = showAll ? rows : rows.slice(0, FIRST_ROWS);
  return (
    <section aria-labelledby="block-victims">
      <h3 id="block-victims">Victims</h3>
      <ul class="victims">
        {shown.map((victim) => (
          <li key={victim.spanId}>
            <span>{victim.name}</span>
            <span class="place">{instances.get(victim.instance)?.service}</span>
            <span class="number">{victim.waitMs === undefined ? '' : `waited ${formatMs(victim.waitMs)}`}</span>
            {jaegerUrl !== undefined && <TraceLink jaegerUrl={jaegerUrl} traceId={victim.traceId} text="Jaeger" />}
          </li>
        ))}
      </ul>
      {rows.length > shown.length && (
        <ShowMore
          text={`Show all ${rows.length}`}
          onClick={() => {
            setShowAll(true);
          }}
        />
      )}
    </section>
  );
}
