import type { JSX } from 'preact';

import { culpritKey, timesOf } from '../../model/blocks/culprits.js';
import { CAUSE_TEXT } from '../../model/text/cause.js';
import { formatMs, formatShare } from '../../model/text/format.js';
import type { Culprit } from '../../model/types.js';
import type { Selection } from '../model/select.js';
import { culpritHref } from '../model/view-state.js';
import { CauseLabel } from '../parts/facts/cause.js';
import { FunctionName, PlaceText } from '../parts/code/culprit.js';
import { sorted, useSorting } from '../parts/table/sort.js';
import { Table } from '../parts/table/table.js';
import { useCurrentView } from '../parts/state/view.js';

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
  const totalMs = culprits.reduce((total, culprit) => total + culprit.totalMs, 0);
  const rows = sorted(culprits, sorting, VALUE_OF);
  return (
    <section class="card" aria-labelledby="culprits">
      <h2 id="culprits">Culprits</h2>
      <Table
        kind="culprits"
        columns={[
          { title: 'Function', sortKey: 'name' },
          { title: 'Cause', sortKey: 'cause' },
          { title: 'Blocks', sortKey: 'count', numeric: true },
          { title: 'Longest', sortKey: 'longest', numeric: true },
          { title: 'Total', sortKey: 'total', numeric: true },
          { title: 'Share of blocked time' },
        ]}
        sorting={sorting}
        onSort={onSort}
        rows={rows}
        firstRows={FIRST_ROWS}
        more={() => `Show all ${rows.length} culprits`}
        isGuess={({ guess }) => guess}
        row={(culprit) => (
          <CulpritRow
            key={culprit.key}
            culprit={culprit}
            totalMs={totalMs}
            services={services?.get(culprit.key)}
            onSelect={onSelect}
          />
        )}
      />
      {culprits.length === 0 && <p class="nothing">No block matches the filter.</p>}
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
