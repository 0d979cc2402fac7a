import type { JSX } from 'preact';

import type { BlockRow } from '../../model/live/page.js';
import { lastSeenText } from '../../model/live/presence.js';
import { formatInstance, formatMs, formatShare } from '../../model/text/format.js';
import { threadKey } from '../../model/thread-key.js';
import { durationWithin, type TimeRange } from '../../model/time-range.js';
import type { Instance, ThreadInfo } from '../../model/types.js';
import type { Selection } from '../model/select.js';
import { Table } from '../parts/table/table.js';

interface ThreadsCardProps {
  selection: Selection;
  /** Epoch, ms, by the server's clock. */
  nowMs: number;
  /** What there is to say of a process instead of `running`: the run is over, or the process does not answer. */
  otherwise: string | undefined;
}

const FIRST_ROWS = 12;

interface Row extends ThreadInfo {
  readonly blockedMs: number;
}

/** Table of the threads by name. Absent if there is only one and no thread metrics. */
export function ThreadsCard({ selection, nowMs, otherwise }: ThreadsCardProps): JSX.Element | null {
  const { threads, blocks, instances, seen, range } = selection;
  const rows = rowsOf(threads, blocks, range);
  if (rows.length < 2 && threads.length === 0) return null;
  return (
    <section class="card" aria-labelledby="threads">
      <h2 id="threads">Threads</h2>
      <Table
        kind="threads"
        scrolledAs="threads"
        columns={[
          { title: 'Thread' },
          { title: 'Process' },
          { title: 'Live threads', numeric: true },
          { title: 'Busy', numeric: true },
          { title: 'Longest idle', numeric: true },
          { title: 'Blocked', numeric: true },
          { title: 'State' },
        ]}
        rows={rows}
        firstRows={FIRST_ROWS}
        more={() => `Show all ${rows.length} threads`}
        row={(row) => (
          <tr key={threadKey(row)}>
            <th scope="row">{row.threadName}</th>
            <td>{processOf(row, instances)}</td>
            <td class="number">{row.count === undefined || row.threadName === 'main' ? '–' : row.count}</td>
            <td class="number">{row.utilization === undefined ? '–' : formatShare(row.utilization)}</td>
            <td class="number">{row.idleAgeMs === undefined ? '–' : formatMs(row.idleAgeMs)}</td>
            <td class="number">{formatMs(row.blockedMs)}</td>
            <td>
              <State row={row} gone={lastSeenText(seen.get(row.instance), nowMs)} otherwise={otherwise} />
            </td>
          </tr>
        )}
      />
    </section>
  );
}

/** A thread whose process no longer reports may be blocked or have ended: only the time is known. */
function State({
  row,
  gone,
  otherwise,
}: {
  row: Row;
  gone: string | undefined;
  otherwise: string | undefined;
}): JSX.Element {
  if (otherwise !== undefined) return <>{otherwise}</>;
  const blocked = row.stalledMs ? <span class="ongoing">blocked for {formatMs(row.stalledMs)}</span> : undefined;
  if (gone === undefined) return blocked ?? <>running</>;
  return (
    <>
      {blocked}
      {blocked && ', '}
      <span class="gone">{gone}</span>
    </>
  );
}

function rowsOf(threads: readonly ThreadInfo[], blocks: readonly BlockRow[], range: TimeRange | undefined): Row[] {
  const rows = new Map<string, Row>();
  for (const thread of threads) rows.set(threadKey(thread), { ...thread, blockedMs: 0 });
  for (const block of blocks) {
    const { instance, threadName } = block;
    const row = rows.get(threadKey(block)) ?? { instance, threadName, blockedMs: 0 };
    rows.set(threadKey(block), { ...row, blockedMs: row.blockedMs + durationWithin(block, range) });
  }
  return [...rows.values()].sort((a, b) => b.blockedMs - a.blockedMs);
}

function processOf(row: Row, instances: ReadonlyMap<string, Instance>): string {
  const instance = instances.get(row.instance);
  return instance ? formatInstance(instance) : '';
}
