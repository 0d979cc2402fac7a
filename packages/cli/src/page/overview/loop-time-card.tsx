import type { JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';

import type { BlockFilter } from '../../model/blocks/filter.js';
import { type BusyEntry, isMostlyGuess } from '../../model/busy-time/busy.js';
import type { BusyView } from '../../model/busy-time/busy-view.js';
import { precisionText } from '../../model/text/share-interval.js';
import type { FlameNode } from '../../model/stacks/flame.js';
import { formatMs, formatShare, plural } from '../../model/text/format.js';
import { shownName } from '../../model/text/place.js';
import type { DataSource, Unreachable } from '../data/source.js';
import { FunctionName, PlaceText } from '../parts/code/culprit.js';
import { FlameGraph } from '../parts/flame/flame-graph.js';
import { FlameLegend } from '../parts/flame/flame-legend.js';
import { BUSY_TIME } from '../parts/flame/flame-look.js';
import { Table } from '../parts/table/table.js';
import { useLoaded } from '../parts/state/use-loaded.js';

interface LoopTimeCardProps {
  source: DataSource;
  filter: BlockFilter;
  /** Changes with the data. */
  revision: unknown;
}

const FIRST_ROWS = 8;

/** Where the loop's time goes: all busy time by request and function, in blocks and outside of them. */
export function LoopTimeCard({ source, filter, revision }: LoopTimeCardProps): JSX.Element | null {
  const query = JSON.stringify({ ...filter, fromMs: undefined, toMs: undefined });
  const view = useLoaded<BusyView | Unreachable>(() => source.busy(filter), query, revision);
  // Nothing asks where the option is 0, and a program that was never busy has no time to divide.
  if (!view || view === 'unreachable' || view.busyMs === 0) return null;
  return (
    <section class="card" aria-labelledby="loop-time">
      <div class="card-head">
        <h2 id="loop-time">Where the loop’s time goes</h2>
        <p class="hint">{factsOf(view)}</p>
      </div>
      <BusyTable view={view} />
      {view.flame.value > 0 && <BusyFlame view={view} />}
    </section>
  );
}

function factsOf({ busyMs, blockedMs, answers }: BusyView): string {
  const blocked = blockedMs > 0 ? `${formatShare(blockedMs / busyMs)} of it in blocks` : 'none of it in blocks';
  return [`Busy for ${formatMs(busyMs)}`, blocked, ...(answers > 0 ? [precisionText(answers)] : [])].join(', ');
}

function BusyTable({ view }: { view: BusyView }): JSX.Element {
  const { entries, entryCount, busyMs } = view;
  return (
    <Table
      kind="busy"
      columns={[
        { title: 'Function' },
        { title: 'Request' },
        { title: 'Busy', numeric: true },
        { title: 'In blocks', numeric: true },
        { title: 'Share of busy time' },
      ]}
      rows={entries}
      firstRows={FIRST_ROWS}
      more={() => `Show all ${entries.length}`}
      isGuess={isMostlyGuess}
      row={(entry, index) => <BusyRow key={index} entry={entry} busyMs={busyMs} />}
      end={
        entryCount > entries.length && (
          <p class="hint">{plural(entryCount - entries.length, 'smaller one')} not shown.</p>
        )
      }
    />
  );
}

function BusyRow({ entry, busyMs }: { entry: BusyEntry; busyMs: number }): JSX.Element {
  const { request, culprit, ms, blockedMs } = entry;
  const location = culprit && { columnNumber: 0, ...culprit };
  return (
    <tr>
      <th scope="row">
        <span class="name">
          {location ? <FunctionName location={location} guess={isMostlyGuess(entry)} /> : 'No function known'}
        </span>
        {location && location.filePath !== '' && (
          <span class="where">
            <PlaceText location={location} isLink />
          </span>
        )}
      </th>
      <td>{request === undefined ? <span class="requests">outside of a request</span> : shownName(request)}</td>
      <td class="number">{formatMs(ms)}</td>
      <td class="number">{blockedMs > 0 ? formatMs(blockedMs) : '–'}</td>
      <td class="share">
        <div>
          <span class="bar busy-bar" aria-hidden="true">
            <i class="outside" style={{ width: `${((ms - blockedMs) / busyMs) * 100}%` }} />
            <i class="in-block" style={{ width: `${(blockedMs / busyMs) * 100}%` }} />
          </span>
          <span class="percent">{formatShare(ms / busyMs)}</span>
        </div>
      </td>
    </tr>
  );
}

function BusyFlame({ view }: { view: BusyView }): JSX.Element {
  const [withoutBlocks, setWithoutBlocks] = useState(false);
  const root = withoutBlocks ? view.flameOutsideBlocks : view.flame;
  const draw = useCallback((change: (graph: FlameNode) => FlameNode) => change(root), [root]);
  return (
    <>
      <div class="card-head busy-flame">
        <h3>Flame graph of the busy time</h3>
        <FlameLegend />
      </div>
      <FlameGraph draw={draw} look={BUSY_TIME}>
        {view.blockedMs > 0 && view.blockedMs < view.busyMs && (
          <button
            type="button"
            class="quiet"
            aria-pressed={withoutBlocks}
            onClick={() => {
              setWithoutBlocks(!withoutBlocks);
            }}
          >
            Without blocks
          </button>
        )}
      </FlameGraph>
    </>
  );
}
