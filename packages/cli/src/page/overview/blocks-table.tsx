import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import { shortVictimsText } from '../../model/blocks/victims.js';
import type { BlockRow } from '../../model/live/page.js';
import { CAUSE_TEXT } from '../../model/text/cause.js';
import { formatClock, formatMs } from '../../model/text/format.js';
import { isGuess } from '../../model/text/guess.js';
import { shownName } from '../../model/text/place.js';
import { threadKey } from '../../model/thread-key.js';
import type { Instance } from '../../model/types.js';
import { CauseLabel } from '../parts/cause.js';
import { FunctionName, GuessLegend, PlaceText } from '../parts/culprit.js';
import { ShowMore } from '../parts/show-more.js';
import { HeaderCell, sorted, useSorting } from '../parts/sort.js';

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
  const [count, setCount] = useState(PAGE_ROWS);
  const serviceOf = ({ instance }: BlockRow): string => instances.get(instance)?.service ?? '';
  const columns = { ...COLUMNS, service: serviceOf };
  const [sorting, onSort] = useSorting('blocks', columns, { key: 'time', descending: true });
  const rows = useMemo(() => sorted(blocks, sorting, columns), [blocks, instances, sorting]);
  const shown = rows.slice(0, count);
  const hasVictims = blocks.some((block) => block.victimCount);
  const hasServices = new Set([...instances.values()].map(({ service }) => service)).size > 1;
  const hasThreads = new Set(blocks.map(threadKey)).size > 1;
  return (
    <section class="card" aria-labelledby="blocks">
      <h2 id="blocks">
        Blocks <span class="count">{blocks.length}</span>
      </h2>
      <div class="scroll">
        <table class="blocks">
          <thead>
            <tr>
              <HeaderCell sortKey="time" sorting={sorting} onSort={onSort}>
                Time
              </HeaderCell>
              <HeaderCell sortKey="length" sorting={sorting} onSort={onSort} numeric>
                Duration
              </HeaderCell>
              <HeaderCell sortKey="cause" sorting={sorting} onSort={onSort}>
                Cause
              </HeaderCell>
              <HeaderCell sortKey="culprit" sorting={sorting} onSort={onSort}>
                Function
              </HeaderCell>
              {hasServices && (
                <HeaderCell sortKey="service" sorting={sorting} onSort={onSort}>
                  Service
                </HeaderCell>
              )}
              <HeaderCell sortKey="where" sorting={sorting} onSort={onSort}>
                Request or resource
              </HeaderCell>
              {hasThreads && <th scope="col">Thread</th>}
              {hasVictims && (
                <HeaderCell sortKey="victims" sorting={sorting} onSort={onSort}>
                  Who waited
                </HeaderCell>
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map((block) => (
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
            ))}
          </tbody>
        </table>
      </div>
      {shown.some(isGuess) && <GuessLegend />}
      {rows.length > shown.length && (
        <ShowMore
          text={`Show more, ${rows.length - shown.length} left`}
          onClick={() => {
            setCount(count + 4 * PAGE_ROWS);
          }}
        />
      )}
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
