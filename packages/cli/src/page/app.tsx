import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';

import { rankCulprits } from '../model/culprits.js';
import { type BlockFilter, type FilterChange, filterBlocks, rangeOf } from '../model/filter.js';
import type { PageState } from '../model/page.js';
import { withoutUndefined } from '../model/without-undefined.js';
import { BlockDialog } from './block/block-dialog.js';
import { BlocksTable } from './overview/blocks-table.js';
import { CulpritsTable } from './overview/culprits-table.js';
import { EmptyState } from './overview/empty-state.js';
import { FilterBar, type TimeWindow } from './overview/filter-bar.js';
import { FlameCard } from './overview/flame-card.js';
import { Header } from './overview/header.js';
import { LagCard } from './overview/lag-card.js';
import { Stats } from './overview/stats.js';
import { ThreadsCard } from './overview/threads-card.js';
import type { Connection, DataSource } from './data/source.js';
import { Directory } from './parts/places.js';
import { useTheme } from './parts/theme.js';

/** The page: one filter applies to everything it shows. */
export function App({ source }: { source: DataSource }): JSX.Element {
  const [state, setState] = useState<PageState>();
  const [connection, setConnection] = useState<Connection>('connecting');
  const [chosen, setChosen] = useState<BlockFilter>({});
  const [timeWindow, setTimeWindow] = useState<TimeWindow>('all');
  const [openBlock, setOpenBlock] = useState<string>();
  const [theme, toggleTheme] = useTheme();

  useEffect(() => source.subscribe(setState, setConnection), [source]);
  useEffect(() => {
    if (state) document.title = `${state.title} · Loopwatch`;
  }, [state?.title]);

  const nowMs = state?.endedMs ?? Date.now();
  const windowFromMs = timeWindow === 'all' ? (state?.startedMs ?? nowMs) : nowMs - timeWindow;
  const fromMs = chosen.fromMs ?? windowFromMs;
  const toMs = chosen.toMs ?? nowMs;
  const view = useMemo(
    () => state && applyFilter(state, { ...chosen, ...(timeWindow !== 'all' && { fromMs }) }),
    [state, chosen, timeWindow],
  );
  if (!state || !view) return <Loading connection={connection} />;

  const update = (change: FilterChange): void => {
    setChosen((filter) => withoutUndefined({ ...filter, ...change }));
  };
  const isEmpty = state.blocks.length === 0 && state.lag.length === 0;

  return (
    <Directory.Provider value={state.directory}>
      <Header state={state} connection={connection} theme={theme} onToggleTheme={toggleTheme} />
      <main>
        {isEmpty ? (
          <EmptyState state={state} connection={connection} />
        ) : (
          <>
            <FilterBar
              state={state}
              filter={chosen}
              timeWindow={timeWindow}
              onChange={update}
              onTimeWindow={setTimeWindow}
            />
            <Stats blocks={view.blocks} lag={view.lag} elapsedMs={toMs - fromMs} range={view.range} />
            <LagCard
              blocks={view.blocks}
              lag={view.lag}
              fromMs={fromMs}
              toMs={toMs}
              theme={theme}
              onRange={(rangeFromMs, rangeToMs) => {
                update({ fromMs: rangeFromMs, toMs: rangeToMs });
              }}
              onOpen={setOpenBlock}
            />
            <CulpritsTable
              culprits={view.culprits}
              selected={chosen.culprit}
              onSelect={(culprit) => {
                update({ culprit });
              }}
            />
            <FlameCard source={source} filter={view.filter} revision={view.blocks} />
            <BlocksTable blocks={view.blocks} instances={view.instances} onOpen={setOpenBlock} />
            <ThreadsCard threads={view.threads} blocks={view.blocks} instances={view.instances} range={view.range} />
          </>
        )}
      </main>
      {openBlock !== undefined && (
        <BlockDialog
          key={openBlock}
          source={source}
          blockId={openBlock}
          instances={view.instances}
          jaegerUrl={state.jaegerUrl}
          onClose={() => {
            setOpenBlock(undefined);
          }}
        />
      )}
    </Directory.Provider>
  );
}

function Loading({ connection }: { connection: Connection }): JSX.Element {
  return (
    <main class="loading" aria-live="polite">
      {connection === 'lost' ? 'Loopwatch does not answer. Is it still running?' : 'Loading…'}
    </main>
  );
}

/** Applies the filter to the state. The list of culprits ignores the culprit filter, so that another can be selected. */
function applyFilter(state: PageState, filter: BlockFilter) {
  const instances = new Map(state.instances.map((instance) => [instance.id, instance]));
  const { culprit, ...others } = filter;
  const candidates = filterBlocks(state.blocks, others, instances);
  const matches = ({ instance }: { instance: string }): boolean =>
    (filter.instance === undefined || instance === filter.instance) &&
    (filter.service === undefined || instances.get(instance)?.service === filter.service);
  const range = rangeOf(filter);
  return {
    filter,
    range,
    instances,
    blocks: culprit === undefined ? candidates : filterBlocks(candidates, { culprit }, instances),
    culprits: rankCulprits(candidates, range),
    lag: state.lag.filter(
      (point) =>
        matches(point) &&
        (filter.fromMs === undefined || point.endMs >= filter.fromMs) &&
        (filter.toMs === undefined || point.startMs <= filter.toMs),
    ),
    threads: state.threads.filter(matches),
  };
}
