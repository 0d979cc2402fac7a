import type { JSX } from 'preact';

import type { FilterChange } from '../model/blocks/filter.js';
import { withoutUndefined } from '../model/collections.js';
import type { PageState } from '../model/live/page.js';
import { CulpritHead } from './culprit/culprit-head.js';
import { CulpritParts } from './culprit/culprit-parts.js';
import { type Connection, type DataSource, isConnected } from './data/source.js';
import { chartRange } from './model/chart-range.js';
import type { Selection } from './model/select.js';
import { withoutFrames } from './model/view-state.js';
import { Sentence } from './parts/facts/sentence.js';
import type { Theme } from './parts/state/theme.js';
import { useCurrentView } from './parts/state/view.js';
import { BlocksTable } from './overview/blocks-table.js';
import { CulpritsTable } from './overview/culprits-table.js';
import { FilterBar } from './overview/filter-bar.js';
import { FlameCard } from './overview/flame-card.js';
import { LagCard } from './overview/lag-card.js';
import { LoopTimeCard } from './overview/loop-time-card.js';
import { Stats } from './overview/stats.js';
import { ThreadsCard } from './overview/threads-card.js';

export interface SelectedProps {
  readonly source: DataSource;
  readonly state: PageState;
  readonly connection: Connection;
  readonly selection: Selection;
  /** By the server's clock, epoch, ms. */
  readonly nowMs: number;
  readonly theme: Theme;
  readonly onOpen: (blockId: string) => void;
}

/** What the filter selects: of the whole program, or of one culprit. */
export function Selected(props: SelectedProps): JSX.Element {
  const { source, state, connection, selection, nowMs, theme, onOpen } = props;
  const { view, show } = useCurrentView();
  const { fromMs, toMs } = chartRange(view, state, selection.blocks, nowMs);
  const { culprit } = view.filter;
  const update = (change: FilterChange): void => {
    // Typing makes one entry of the history, not one for each letter.
    const isTyping = 'text' in change && change.text !== undefined && view.filter.text !== undefined;
    const { flame } = 'culprit' in change ? withoutFrames(view) : view;
    show({ filter: withoutUndefined({ ...view.filter, ...change }), flame }, { replace: isTyping });
  };
  const stats = (
    <Stats blocks={selection.blocks} lag={selection.lag} elapsedMs={toMs - fromMs} range={selection.range} />
  );
  return (
    <>
      <FilterBar
        state={state}
        filter={view.filter}
        windowMs={view.windowMs}
        onChange={update}
        onWindow={(windowMs) => {
          show({ windowMs });
        }}
      />
      {culprit === undefined ? (
        <>
          {stats}
          {selection.sentences.map((text, index) => (
            <Sentence key={index} text={text} />
          ))}
        </>
      ) : (
        <CulpritHead
          key={culprit}
          source={source}
          culprit={culprit}
          selection={selection}
          jaegerUrl={state.jaegerUrl}
          nowMs={nowMs}
        >
          {stats}
          <CulpritParts selection={selection} />
        </CulpritHead>
      )}
      <LagCard
        blocks={selection.blocks}
        lag={selection.lag}
        fromMs={fromMs}
        toMs={toMs}
        theme={theme}
        onRange={(rangeFromMs, rangeToMs) => {
          update({ fromMs: rangeFromMs, toMs: rangeToMs });
        }}
        onOpen={onOpen}
      />
      {culprit === undefined && (
        <CulpritsTable
          selection={selection}
          onSelect={(key) => {
            update({ culprit: key });
          }}
        />
      )}
      <FlameCard source={source} filter={selection.filter} revision={selection.blocks} />
      {culprit === undefined && <LoopTimeCard source={source} filter={selection.filter} revision={selection.lag} />}
      <BlocksTable blocks={selection.blocks} instances={selection.instances} onOpen={onOpen} />
      {culprit === undefined && (
        <ThreadsCard selection={selection} nowMs={nowMs} otherwise={stateWithoutNews(state, connection)} />
      )}
    </>
  );
}

/** What the table of threads says when no news of them can arrive. */
function stateWithoutNews({ endedMs }: PageState, connection: Connection): string | undefined {
  if (endedMs !== undefined) return 'ended';
  return isConnected(connection) ? undefined : 'not known';
}
