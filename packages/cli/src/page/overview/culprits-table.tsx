import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { CAUSE_TEXT } from '../../model/cause.js';
import { timesOf } from '../../model/culprits.js';
import { formatMs, formatShare } from '../../model/format.js';
import type { Culprit } from '../../model/types.js';
import { CauseLabel } from '../parts/cause.js';
import { FunctionName, GuessLegend, PlaceText } from '../parts/culprit.js';
import { ShowMore } from '../parts/show-more.js';
import { HeaderCell, sorted, useSorting } from '../parts/sort.js';

interface CulpritsTableProps {
  culprits: readonly Culprit[];
  selected: string | undefined;
  onSelect: (key: string | undefined) => void;
}

const FIRST_ROWS = 8;

const VALUE_OF = {
  name: ({ location }: Culprit) => location?.functionName ?? '',
  cause: ({ cause }: Culprit) => CAUSE_TEXT[cause],
  count: ({ count, suppressedCount }: Culprit) => count + suppressedCount,
  longest: ({ longestMs }: Culprit) => longestMs,
  total: ({ totalMs }: Culprit) => totalMs,
};

/** Table of the culprits; a click restricts the page to one. */
export function CulpritsTable({ culprits, selected, onSelect }: CulpritsTableProps): JSX.Element {
  const [sorting, onSort] = useSorting<keyof typeof VALUE_OF>({ key: 'total', descending: true });
  const [showAll, setShowAll] = useState(false);
  const totalMs = culprits.reduce((total, culprit) => total + culprit.totalMs, 0);
  const rows = sorted(culprits, sorting, VALUE_OF);
  const shown = showAll ? rows : rows.slice(0, FIRST_ROWS);
  return (
    <section class="card" aria-labelledby="culprits">
      <h2 id="culprits">Culprits</h2>
      <div class="scroll">
        <table class="culprits">
          <thead>
            <tr>
              <HeaderCell sortKey="name" sorting={sorting} onSort={onSort}>
                Function
              </HeaderCell>
              <HeaderCell sortKey="cause" sorting={sorting} onSort={onSort}>
                Cause
              </HeaderCell>
              <HeaderCell sortKey="count" sorting={sorting} onSort={onSort} numeric>
                Blocks
              </HeaderCell>
              <HeaderCell sortKey="longest" sorting={sorting} onSort={onSort} numeric>
                Longest
              </HeaderCell>
              <HeaderCell sortKey="total" sorting={sorting} onSort={onSort} numeric>
                Total
              </HeaderCell>
              <th scope="col">Share of blocked time</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((culprit) => (
              <CulpritRow
                key={culprit.key}
                culprit={culprit}
                totalMs={totalMs}
                isSelected={culprit.key === selected}
                onSelect={onSelect}
              />
            ))}
          </tbody>
        </table>
      </div>
      {shown.some(({ guess }) => guess) && <GuessLegend />}
      {culprits.length === 0 && <p class="nothing">No block matches the filter.</p>}
      {rows.length > shown.length && (
        <ShowMore
          text={`Show all ${rows.length} culprits`}
          onClick={() => {
            setShowAll(true);
          }}
        />
      )}
    </section>
  );
}

interface CulpritRowProps {
  culprit: Culprit;
  totalMs: number;
  isSelected: boolean;
  onSelect: (key: string | undefined) => void;
}

function CulpritRow({ culprit, totalMs, isSelected, onSelect }: CulpritRowProps): JSX.Element {
  const share = totalMs > 0 ? culprit.totalMs / totalMs : 0;
  const toggle = (): void => {
    onSelect(isSelected ? undefined : culprit.key);
  };
  return (
    <tr class={isSelected ? 'selected' : ''} onClick={toggle}>
      <th scope="row">
        <button
          type="button"
          class="name"
          aria-pressed={isSelected}
          onClick={(event) => {
            event.stopPropagation();
            toggle();
          }}
        >
          <FunctionName location={culprit.location} guess={culprit.guess} />
        </button>
        <span class="where">
          {culprit.location && <PlaceText location={culprit.location} />}
          <span class="requests">{culprit.requests.join(', ')}</span>
        </span>
      </th>
      <td>
        <CauseLabel times={timesOf(culprit)} />
      </td>
      <td class="number">{culprit.count + culprit.suppressedCount}</td>
      <td class="number">{formatMs(culprit.longestMs)}</td>
      <td class="number">{formatMs(culprit.totalMs)}</td>
      <td class="share">
        <div>
          <span class="bar" aria-hidden="true">
            <i class={culprit.cause} style={{ width: `${share * 100}%` }} />
          </span>
          <span class="percent">{formatShare(share)}</span>
        </div>
      </td>
    </tr>
  );
}
