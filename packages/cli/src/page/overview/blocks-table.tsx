import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import { shortVictimsText } from '../../model/blocks/victims.js';
import type { BlockRow } from '../../model/live/page.js';
import { CAUSE_TEXT } from '../../model/text/cause.js';
import { formatClock, formatMs } from '../../model/text/format.js';
import { isGuess } from '../../model/text/guess.js';
import { shownName } from '../../model/text/place.js';
import { threadKey } from '../../model/thread-key.js';
import type { Instance } from '../../model/types.js';
import { CauseLabel } from '../parts/facts/cause.js';
import { FunctionName, PlaceText } from '../parts/code/culprit.js';
import { sorted, useSorting } from '../parts/table/sort.js';
import { Table } from '../parts/table/table.js';

interface BlocksTableProps {
  blocks: readonly BlockRow[];
  instances: ReadonlyMap<string, Instance>;
  onOpen: (blockId: string) => void;
}

const PAGE_ROWS = 25;

const COLUMNS = {
  time: ({ startMs }: BlockRow) => startMs,
  length: ({ durationMs }: BlockRow) => durationMs,
  cause: ({ cause }: BlockRow) => CAUSE_TEXT[cause],
  culprit: ({ culprit }: BlockRow) => culprit?.functionName ?? '',
  where: (block: BlockRow) => whereOf(block),
  victims: ({ victimCount = 0 }: BlockRow) => victimCount,
};

/** Table of the blocks; a click opens the block's dialog. */
export function BlocksTable({ blocks, instances, onOpen }: BlocksTableProps): JSX.Element {
  const serviceOf = ({ instance }: BlockRow): string => instances.get(instance)?.service ?? '';
  const columns = { ...COLUMNS, service: serviceOf };
  const [sorting, onSort] = useSorting('blocks', columns, { key: 'time', descending: true });
  const rows = useMemo(() => sorted(blocks, sorting, columns), [blocks, instances, sorting]);
  const hasVictims = blocks.some((block) => block.victimCount);
  const hasServices = new Set([...instances.values()].map(({ service }) => service)).size > 1;
  const hasThreads = new Set(blocks.map(threadKey)).size > 1;
  return (
    <section class="card" aria-labelledby="blocks">
      <h2 id="blocks">
        Blocks <span class="count">{blocks.length}</span>
      </h2>
      <Table
        kind="blocks"
        columns={[
          { title: 'Time', sortKey: 'time' },
          { title: 'Duration', sortKey: 'length', numeric: true },
          { title: 'Cause', sortKey: 'cause' },
          { title: 'Function', sortKey: 'culprit' },
          hasServices && { title: 'Service', sortKey: 'service' },
          { title: 'Request or resource', sortKey: 'where' },
          hasThreads && { title: 'Thread' },
          hasVictims && { title: 'Who waited', sortKey: 'victims' },
        ]}
        sorting={sorting}
        onSort={onSort}
        rows={rows}
        firstRows={PAGE_ROWS}
        moreRows={4 * PAGE_ROWS}
        more={(left) => `Show more, ${left} left`}
        isGuess={isGuess}
        row={(block) => (
          <tr
            key={block.id}
            onClick={() => {
              onOpen(block.id);
            }}
          >
            <td class="time">
              <button
                type="button"
                class="name"
                aria-label={`Open the block of ${formatClock(block.startMs)}`}
                onClick={(event) => {
                  event.stopPropagation();
                  onOpen(block.id);
                }}
              >
                {formatClock(block.startMs)}
              </button>
            </td>
            <td class="number">
              {formatMs(block.durationMs)}
              {!block.ended && <span class="ongoing">not ended</span>}
            </td>
            <td>
              <CauseLabel times={block} />
            </td>
            <td class="function">
              <div>
                <span class="name">
                  <FunctionName location={block.culprit} guess={isGuess(block)} />
                </span>
                {block.culprit && <PlaceText location={block.culprit} />}
              </div>
            </td>
            {hasServices && <NameCell kind="service" name={serviceOf(block)} />}
            <NameCell kind="where" name={whereOf(block)} />
            {hasThreads && <NameCell kind="thread" name={threadOf(block, instances)} />}
            {hasVictims && <td class="waited">{shortVictimsText(block)}</td>}
          </tr>
        )}
      />
    </section>
  );
}

/** A cell that cuts what does not fit. */
function NameCell({ kind, name }: { kind: string; name: string }): JSX.Element {
  return (
    <td class={kind} title={name}>
      {shownName(name)}
    </td>
  );
}

function whereOf(block: BlockRow): string {
  return block.request ?? '';
}

/** The service has a column of its own where there are several. */
function threadOf(block: BlockRow, instances: ReadonlyMap<string, Instance>): string {
  const label = instances.get(block.instance)?.label;
  const process = instances.size > 1 && label !== undefined ? `${label}, ` : '';
  return `${process}${block.threadName}`;
}
