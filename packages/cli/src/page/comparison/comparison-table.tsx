import type { JSX } from 'preact';

import { signedMs, signedShare } from '../../model/compare/change.js';
import { type Comparison, VERDICTS } from '../../model/compare/comparison.js';
import type { ComparisonReport, ReportedCulprit } from '../../model/compare/comparison-report.js';
import { evidenceText, functionOfCompared } from '../../model/compare/comparison-text.js';
import { formatMs } from '../../model/text/format.js';
import { PlaceText } from '../parts/code/culprit.js';
import { Program } from '../parts/code/places.js';
import { sorted, useSorting } from '../parts/table/sort.js';
import { Table } from '../parts/table/table.js';

interface ComparisonTableProps {
  comparison: ComparisonReport['comparison'];
  headline: string;
  /** Name of the function that is marked in the flame graph. */
  marked: string | undefined;
  onMark: (functionName: string | undefined) => void;
}

const FIRST_ROWS = 12;

const VALUE_OF = {
  verdict: ({ verdict }: ReportedCulprit) => VERDICTS.indexOf(verdict),
  name: ({ location }: ReportedCulprit) => location?.functionName ?? '',
  before: ({ base }: ReportedCulprit) => base.meanMs,
  after: ({ head }: ReportedCulprit) => head.meanMs,
  change: ({ base, head }: ReportedCulprit) => head.meanMs - base.meanMs,
};

/** Table of the culprits of both builds, the verdicts to look at first on top. */
export function ComparisonTable({ comparison, headline, marked, onMark }: ComparisonTableProps): JSX.Element {
  const [sorting, onSort] = useSorting('compared', VALUE_OF, { key: 'verdict', descending: false });
  const rows = sorted(comparison.culprits, sorting, VALUE_OF);
  return (
    <section class="card" aria-labelledby="culprits">
      <div class="card-head">
        <h2 id="culprits">Blocked time in a run</h2>
        <p class="hint">{headline}</p>
      </div>
      <Table
        kind="compared"
        columns={[
          { title: 'Verdict', sortKey: 'verdict' },
          { title: 'Function', sortKey: 'name' },
          { title: 'Before', sortKey: 'before', numeric: true },
          { title: 'After', sortKey: 'after', numeric: true },
          { title: 'Change', sortKey: 'change', numeric: true },
          { title: 'Evidence' },
        ]}
        sorting={sorting}
        onSort={onSort}
        rows={rows}
        firstRows={FIRST_ROWS}
        more={() => `Show all ${rows.length} culprits`}
        isGuess={({ guess }) => guess}
        row={(culprit) => (
          <Row key={culprit.key} culprit={culprit} comparison={comparison} marked={marked} onMark={onMark} />
        )}
      />
    </section>
  );
}

interface RowProps extends Pick<ComparisonTableProps, 'marked' | 'onMark'> {
  culprit: ReportedCulprit;
  comparison: Comparison;
}

function Row({ culprit, comparison, marked, onMark }: RowProps): JSX.Element {
  const { verdict, base, head } = culprit;
  const times = { baseMs: base.meanMs, headMs: head.meanMs };
  return (
    <tr>
      <td>
        <span class={`verdict ${verdict}`}>{verdict}</span>
      </td>
      <th scope="row">
        <Name culprit={culprit} marked={marked} onMark={onMark} />
      </th>
      <td class="number">{formatMs(base.meanMs)}</td>
      <td class="number">{formatMs(head.meanMs)}</td>
      <td class="number">
        {signedMs(times)}
        <span class="share">{signedShare(times)}</span>
      </td>
      <td class="evidence">{evidenceText(culprit, comparison)}</td>
    </tr>
  );
}

function Name({ culprit, marked, onMark }: Omit<RowProps, 'comparison'>): JSX.Element {
  const { location, directory, requests, url } = culprit;
  if (!location) return <span class="name">{functionOfCompared(culprit)}</span>;
  const isMarked = marked === location.functionName;
  return (
    <Program.Provider value={{ directory }}>
      <button
        type="button"
        class="name"
        aria-pressed={isMarked}
        title="Mark it in the flame graph"
        onClick={() => {
          onMark(isMarked ? undefined : location.functionName);
        }}
      >
        {functionOfCompared(culprit)}
      </button>
      <span class="where">
        <PlaceText location={location} isLink repositoryUrl={url} />
        <span class="requests">{requests.join(', ')}</span>
      </span>
    </Program.Provider>
  );
}
