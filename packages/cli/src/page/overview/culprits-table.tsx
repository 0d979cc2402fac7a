import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { culpritKey, timesOf } from '../../model/blocks/culprits.js';
import { CAUSE_TEXT } from '../../model/text/cause.js';
import { formatMs, formatShare } from '../../model/text/format.js';
import type { Culprit } from '../../model/types.js';
import type { Selection } from '../model/select.js';
import { culpritHref } from '../model/view-state.js';
import { CauseLabel } from '../parts/cause.js';
import { FunctionName, GuessLegend, PlaceText } from '../parts/culprit.js';
import { ShowMore } from '../parts/show-more.js';
import { HeaderCell, sorted, useSorting } from '../parts/sort.js';
import { useCurrentView } from '../parts/view.js';

interface CulpritsTableProps {
  selection: Selection;
  onSelect: (key: string) => void;
}

const FIRST_ROWS = 8;

const VALUE_OF = {
  name: ({ location }: Culprit) => location?.functionName ?? '',
  cause: ({ cause }: Culprit) => CAUSE_TEXT[cause],
  count: ({ count, suppressedCount }: Culprit) => count + suppressedCount,
  longest: ({ longestMs }: Culprit) => longestMs,
  total: ({ totalMs }: Culprit) => totalMs,
};

/** Table of the culprits, each with a link to its page. */
export function CulpritsTable({ selection, onSelect }: CulpritsTableProps): JSX.Element {
  const { culprits } = selection;
  const services = servicesOf(selection);
  const [sorting, onSort] = useSorting('culprits', VALUE_OF, { key: 'total', descending: true });
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
                services={services?.get(culprit.key)}
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
  /** Undefined where the page has one service only. */
  services: ReadonlySet<string> | undefined;
  onSelect: (key: string) => void;
}

function CulpritRow({ culprit, totalMs, services, onSelect }: CulpritRowProps): JSX.Element {
  const share = totalMs > 0 ? culprit.totalMs / totalMs : 0;
  const { view } = useCurrentView();
  return (
    <tr
      onClick={() => {
        onSelect(culprit.key);
      }}
    >
      <th scope="row">
        <a
          class="name"
          href={culpritHref(view, culprit.key)}
          onClick={(event) => {
            // Another tab, or the page itself: the browser follows the link.
            event.stopPropagation();
          }}
        >
          <FunctionName location={culprit.location} guess={culprit.guess} />
        </a>
        <span class="where">
          {services && <span class="service">{servicesText(services)}</span>}
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

/** The services in which each culprit blocks; undefined if the page has one service only. */
function servicesOf({ blocks, instances }: Selection): Map<string, Set<string>> | undefined {
  const names = new Map([...instances].map(([id, { service }]) => [id, service]));
  if (new Set(names.values()).size < 2) return undefined;
  const services = new Map<string, Set<string>>();
  for (const block of blocks) {
    const key = culpritKey(block);
    let known = services.get(key);
    if (!known) services.set(key, (known = new Set()));
    known.add(names.get(block.instance) ?? block.instance);
  }
  return services;
}

function servicesText(services: ReadonlySet<string>): string {
  const [first = ''] = services;
  return services.size === 1 ? first : `${services.size} services`;
}
