import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { FilterChange } from '../model/blocks/filter.js';
import { withoutUndefined } from '../model/collections.js';
import type { PageState } from '../model/live/page.js';
import { BlockDialog } from './block/block-dialog.js';
import { CulpritHead } from './culprit/culprit-head.js';
import { CulpritParts } from './culprit/culprit-parts.js';
import { type Connection, type DataSource, isConnected } from './data/source.js';
import { chartRange, windowStart } from './model/chart-range.js';
import { select } from './model/select.js';
import { withoutFrames } from './model/view-state.js';
import { BlocksTable } from './overview/blocks-table.js';
import { CulpritsTable } from './overview/culprits-table.js';
import { EmptyState } from './overview/empty-state.js';
import { FilterBar } from './overview/filter-bar.js';
import { FlameCard } from './overview/flame-card.js';
import { Header } from './overview/header.js';
import { LagCard } from './overview/lag-card.js';
import { LoopTimeCard } from './overview/loop-time-card.js';
import { Notices } from './overview/notices.js';
import { Remarks } from './overview/remarks.js';
import { Stats } from './overview/stats.js';
import { ThreadsCard } from './overview/threads-card.js';
import { Program } from './parts/code/places.js';
import { Sentence } from './parts/facts/sentence.js';
import { useTheme } from './parts/state/theme.js';
import { useView, View } from './parts/state/view.js';

/** The page: one filter applies to everything it shows, and the address keeps it. */
export function App({ source }: { source: DataSource }): JSX.Element {
  const [state, setState] = useState<PageState>();
  const [connection, setConnection] = useState<Connection>('connecting');
  const [view, show] = useView();
  const [theme, toggleTheme] = useTheme();
  const nowMs = useNow(state, connection);

  useEffect(() => source.subscribe(setState, setConnection), [source]);
  const culpritName = view.filter.culprit?.split('\n')[0];
  useEffect(() => {
    if (state) document.title = [culpritName, state.title, 'Loopwatch'].filter(Boolean).join(' · ');
  }, [state?.title, culpritName]);
  // A culprit's page begins at its top, wherever the link to it was.
  useEffect(() => {
    if (view.filter.culprit !== undefined) scrollTo(0, 0);
  }, [view.filter.culprit]);

  const selection = useMemo(
    () => state && select(state, { ...windowStart(view, nowMs), ...view.filter }),
    [state, view.filter, view.windowMs],
  );
  if (!state || !selection) return <Loading connection={connection} />;

  const { fromMs, toMs } = chartRange(view, state, selection.blocks, nowMs);
  const { culprit } = view.filter;
  const update = (change: FilterChange): void => {
    // Typing makes one entry of the history, not one for each letter.
    const isTyping = 'text' in change && change.text !== undefined && view.filter.text !== undefined;
    const { flame } = 'culprit' in change ? withoutFrames(view) : view;
    show({ filter: withoutUndefined({ ...view.filter, ...change }), flame }, { replace: isTyping });
  };
  const openBlock = (block: string | undefined): void => {
    show({ block });
  };
  const isEmpty = state.blocks.length === 0 && state.lag.length === 0;
  const stats = (
    <Stats blocks={selection.blocks} lag={selection.lag} elapsedMs={toMs - fromMs} range={selection.range} />
  );

  return (
    <Program.Provider value={state}>
      <View.Provider value={{ view, show }}>
        <Header state={state} connection={connection} nowMs={nowMs} theme={theme} onToggleTheme={toggleTheme} />
        <main>
          <Notices state={state} connection={connection} />
          <Remarks remarks={state.remarks} />
          {isEmpty ? (
            <EmptyState state={state} connection={connection} />
          ) : (
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
                onOpen={openBlock}
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
              {culprit === undefined && (
                <LoopTimeCard source={source} filter={selection.filter} revision={selection.lag} />
              )}
              <BlocksTable blocks={selection.blocks} instances={selection.instances} onOpen={openBlock} />
              {culprit === undefined && (
                <ThreadsCard selection={selection} nowMs={nowMs} otherwise={stateWithoutNews(state, connection)} />
              )}
            </>
          )}
        </main>
        {view.block !== undefined && (
          <BlockDialog
            key={view.block}
            source={source}
            blockId={view.block}
            row={state.blocks.find(({ id }) => id === view.block)}
            instances={selection.instances}
            jaegerUrl={state.jaegerUrl}
            onClose={() => {
              openBlock(undefined);
            }}
          />
        )}
      </View.Provider>
    </Program.Provider>
  );
}

/**
 * The time by the server's clock, epoch, ms: the browser's may differ. It stands still at the end of a run, and while the
 * server does not answer.
 */
function useNow(state: PageState | undefined, connection: Connection): number {
  const offsetMs = useRef(0);
  const lastMs = useRef(Date.now());
  const serverMs = useRef<number>(undefined);
  if (state?.serverMs !== undefined && state.serverMs !== serverMs.current) {
    serverMs.current = state.serverMs;
    offsetMs.current = state.serverMs - Date.now();
  }
  if (isConnected(connection)) lastMs.current = Date.now() + offsetMs.current;
  return state?.endedMs ?? lastMs.current;
}

/** What the table of threads says when no news of them can arrive. */
function stateWithoutNews({ endedMs }: PageState, connection: Connection): string | undefined {
  if (endedMs !== undefined) return 'ended';
  return isConnected(connection) ? undefined : 'not known';
}

function Loading({ connection }: { connection: Connection }): JSX.Element {
  return (
    <main class="loading" aria-live="polite">
      {isConnected(connection) ? 'Loading…' : 'Loopwatch does not answer. Is it still running?'}
    </main>
  );
}
