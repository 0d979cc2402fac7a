import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { PageState } from '../model/live/page.js';
import { BlockDialog } from './block/block-dialog.js';
import { type Connection, type DataSource, isConnected } from './data/source.js';
import { windowStart } from './model/chart-range.js';
import { select } from './model/select.js';
import { EmptyState } from './overview/empty-state.js';
import { Header } from './overview/header.js';
import { Notices } from './overview/notices.js';
import { Remarks } from './overview/remarks.js';
import { Program } from './parts/code/places.js';
import { useTheme } from './parts/state/theme.js';
import { useView, View } from './parts/state/view.js';
import { Selected } from './selected.js';

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

  const openBlock = (block: string | undefined): void => {
    show({ block });
  };
  const isEmpty = state.blocks.length === 0 && state.lag.length === 0;
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
            <Selected {...{ source, state, connection, selection, nowMs, theme }} onOpen={openBlock} />
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

function Loading({ connection }: { connection: Connection }): JSX.Element {
  return (
    <main class="loading" aria-live="polite">
      {isConnected(connection) ? 'Loading…' : 'Loopwatch does not answer. Is it still running?'}
    </main>
  );
}
