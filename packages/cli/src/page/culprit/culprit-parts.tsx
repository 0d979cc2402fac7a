import type { JSX } from 'preact';

import { type Part, summariseBlocks } from '../../model/blocks/culprit-summary.js';
import { formatClock, formatMs, formatShare } from '../../model/text/format.js';
import type { Cause } from '../../model/types.js';
import type { Selection } from '../model/select.js';
import { CauseLabel } from '../parts/facts/cause.js';
import { Table } from '../parts/table/table.js';

/** How the culprit's blocks divide by request, cause and version. */
export function CulpritParts({ selection }: { selection: Selection }): JSX.Element | null {
  const { blocks, instances, range } = selection;
  if (blocks.length === 0) return null;
  const { causes, requests, versions } = summariseBlocks(blocks, instances, range);
  const hasVersions = versions.length > 1 || [...instances.values()].some(({ version }) => version !== undefined);
  return (
    <div class="parts">
      <PartsTable
        id="routes"
        title="Requests it blocked in"
        column="Request or resource"
        parts={requests}
        label={({ name }) => name}
      />
      <PartsTable
        id="causes"
        title="Causes"
        column="Cause"
        parts={causes}
        label={(part) => <CauseLabel times={timesOfPart(part)} />}
      />
      {hasVersions && (
        <PartsTable
          id="versions"
          title="Versions"
          column="Service and version"
          parts={versions}
          label={({ name }) => name}
          hasTimes
        />
      )}
    </div>
  );
}

/** A part as one block: what the stretch by waiting for CPU is calculated of. */
function timesOfPart({ name, totalMs, runQueueMs }: Part<Cause>): Parameters<typeof CauseLabel>[0]['times'] {
  return { cause: name, durationMs: totalMs, ...(runQueueMs !== undefined && { runQueueMs }) };
}

interface PartsTableProps<K extends string> {
  id: string;
  title: string;
  column: string;
  parts: readonly Part<K>[];
  label: (part: Part<K>) => JSX.Element | string;
  hasTimes?: boolean;
}

const FIRST_ROWS = 6;

function PartsTable<K extends string>(props: PartsTableProps<K>): JSX.Element {
  const { id, title, column, parts, label, hasTimes = false } = props;
  const totalMs = parts.reduce((total, part) => total + part.totalMs, 0);
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>
        {title} <span class="count">{parts.length}</span>
      </h2>
      <Table
        kind={`parts-of ${id}`}
        scrolledAs={id}
        columns={[
          { title: column },
          hasTimes && { title: 'First and last' },
          { title: 'Blocks', numeric: true },
          { title: 'Longest', numeric: true },
          { title: 'Blocked', numeric: true },
          { title: 'Share', numeric: true },
        ]}
        rows={parts}
        firstRows={FIRST_ROWS}
        more={() => `Show all ${parts.length}`}
        row={(part) => (
          <tr key={part.name}>
            <th scope="row">{label(part)}</th>
            {hasTimes && <td>{`${clock(part.firstMs)} to ${clock(part.lastMs)}`}</td>}
            <td class="number">{part.count}</td>
            <td class="number">{formatMs(part.longestMs)}</td>
            <td class="number">{formatMs(part.totalMs)}</td>
            <td class="number">{formatShare(totalMs > 0 ? part.totalMs / totalMs : 0)}</td>
          </tr>
        )}
      />
    </section>
  );
}

function clock(epochMs: number): string {
  return formatClock(epochMs).slice(0, 8);
}
