import { dateTime, dateTimeFormat, ThemeContext, type TimeRange } from '@grafana/data';
import { initPluginTranslations } from '@grafana/i18n';
import { GlobalStyles } from '@grafana/ui';
import { createRoot } from 'react-dom/client';

import type { Dashboard } from './dashboard.ts';
import { theme } from './frames.ts';
import { isEmpty, load, type LoadedPanel } from './load.ts';
import { PanelView } from './panel.tsx';
import { Prometheus, type TimeWindow } from './prometheus.ts';

/** Grafana's grid: 24 columns, rows of 30 px, gaps of 8 px. */
const COLUMNS = 24;
const ROW_PX = 30;
const GAP_PX = 8;

/** Where the program that takes the picture looks when a panel was loaded, and how. */
declare global {
  interface Window {
    loopwatchPicture?: { readonly error?: string; readonly panels?: readonly { title: string; isEmpty: boolean }[] };
  }
}

async function main(): Promise<void> {
  const parameters = new URLSearchParams(location.search);
  const timeWindow: TimeWindow = {
    fromSeconds: Number(parameters.get('from')),
    toSeconds: Number(parameters.get('to')),
    stepSeconds: Number(parameters.get('step')),
  };
  await initPluginTranslations('grafana');
  const dashboard = (await (await fetch('/dashboard.json')).json()) as Dashboard;
  const prometheus = new Prometheus(parameters.get('prometheus') ?? '', timeWindow);
  const panels = await Promise.all(dashboard.panels.map((panel) => load(panel, prometheus, timeWindow.stepSeconds)));
  createRoot(document.getElementById('root')!).render(
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <Page title={dashboard.title} panels={panels} window={timeWindow} />
    </ThemeContext.Provider>,
  );
  window.loopwatchPicture = {
    panels: panels
      .filter(({ panel }) => panel.type !== 'row')
      .map((loaded) => ({ title: loaded.panel.title, isEmpty: isEmpty(loaded) })),
  };
}

interface PageProps {
  readonly title: string;
  readonly panels: readonly LoadedPanel[];
  readonly window: TimeWindow;
}

function Page({ title, panels, window: { fromSeconds, toSeconds, stepSeconds } }: PageProps) {
  const from = dateTime(fromSeconds * 1000);
  const to = dateTime(toSeconds * 1000);
  const timeRange: TimeRange = { from, to, raw: { from, to } };
  const columnPx = (innerWidth - GAP_PX) / COLUMNS;
  const pageRows = Math.max(...panels.map(({ panel }) => panel.gridPos.y + panel.gridPos.h));
  return (
    <main style={{ padding: GAP_PX }}>
      <header style={{ display: 'flex', justifyContent: 'space-between', alignItems: 'baseline', padding: GAP_PX }}>
        <h1 style={{ fontSize: 20, margin: 0 }}>{title}</h1>
        <span>
          {dateTimeFormat(from)} to {dateTimeFormat(to, { format: 'HH:mm:ss' })}
        </span>
      </header>
      <div style={{ position: 'relative', height: pageRows * (ROW_PX + GAP_PX) }}>
        {panels.map((loaded) => {
          const { x, y, w, h } = loaded.panel.gridPos;
          const width = w * columnPx - GAP_PX;
          const height = h * ROW_PX + (h - 1) * GAP_PX;
          const place = {
            position: 'absolute',
            left: x * columnPx,
            top: y * (ROW_PX + GAP_PX),
            width,
            height,
          } as const;
          return (
            <div key={`${x}/${y}`} style={place}>
              {loaded.panel.type === 'row' ? (
                <h2 style={{ fontSize: 16, margin: 0, lineHeight: `${ROW_PX}px` }}>{loaded.panel.title}</h2>
              ) : (
                <PanelView {...{ loaded, width, height, timeRange, stepSeconds }} />
              )}
            </div>
          );
        })}
      </div>
    </main>
  );
}

main().catch((error: unknown) => {
  window.loopwatchPicture = { error: String(error) };
});
