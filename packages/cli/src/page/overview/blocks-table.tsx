import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { CAUSE_TEXT } from '../../model/cause.js';
import { formatClock, formatInstance, formatMs } from '../../model/format.js';
import { isGuess } from '../../model/guess.js';
import type { BlockRow } from '../../model/page.js';
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

const VALUE_OF = {
  time: ({ startMs }: BlockRow) => startMs,
  length: ({ durationMs }: BlockRow) => durationMs,
  cause: ({ cause }: BlockRow) => CAUSE_TEXT[cause],
  culprit: ({ culprit }: BlockRow) => culprit?.functionName ?? '',
  where: (block: BlockRow) => whereOf(block),
  victims: ({ victimCount = 0 }: BlockRow) => victimCount,
};

/** Table of the blocks; a click opens the block's dialog. */
export function BlocksTable({ blocks, instances, onOpen }: BlocksTableProps): JSX.Element {
  const [sorting, onSort] = useSorting<keyof typeof VALUE_OF>({ key: 'time', descending: true });
  const [count, setCount] = useState(PAGE_ROWS);
  const rows = sorted(blocks, sorting, VALUE_OF);
  const shown = rows.slice(0, count);
  const hasVictims = blocks.some((block) => block.victimCount);
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
              <HeaderCell sortKey="where" sorting={sorting} onSort={onSort}>
                Request or resource
              </HeaderCell>
              {hasThreads && <th scope="col">Thread</th>}
              {hasVictims && (
                <HeaderCell sortKey="victims" sorting={sorting} onSort={onSort} numeric>
                  Victims
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
                <td class="where">{whereOf(block)}</td>
                {hasThreads && <td class="thread">{threadOf(block, instances)}</td>}
                {hasVictims && <td class="number">{block.victimCount ?? 0}</td>}
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

function whereOf(block: BlockRow): string {
  return block.request ?? block.asyncResource ?? '';
}

function threadOf(block: BlockRow, instances: ReadonlyMap<string, Instance>): string {
  const instance = instances.get(block.instance);
  const process = instances.size > 1 && instance ? `${formatInstance(instance)}, ` : '';
  return `${process}${block.threadName}`;
}
