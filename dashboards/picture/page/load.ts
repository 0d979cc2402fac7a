import type { DataFrame } from '@grafana/data';

import { type Cell, cellsOf } from './cells.ts';
import type { Panel } from './dashboard.ts';
import { configured, rangeFrames, tableFrame, transformed } from './frames.ts';
import type { Exemplar, Prometheus } from './prometheus.ts';

/** A panel with what Prometheus has for it. */
export interface LoadedPanel {
  readonly panel: Panel;
  readonly frames: DataFrame[];
  readonly cells: readonly Cell[];
  readonly exemplars: readonly Exemplar[];
}

export async function load(panel: Panel, prometheus: Prometheus, stepSeconds: number): Promise<LoadedPanel> {
  const targets = panel.targets ?? [];
  const marked = targets.filter(({ exemplar }) => exemplar === true);
  const exemplars = (await Promise.all(marked.map(({ expr }) => prometheus.exemplars(expr)))).flat();
  if (panel.type === 'heatmap') {
    const series = (await Promise.all(targets.map(({ expr }) => prometheus.range(expr)))).flat();
    return { panel, frames: [], cells: cellsOf(series), exemplars };
  }
  const frames = await Promise.all(
    targets.map(async (target) =>
      target.instant === true
        ? [tableFrame(target, await prometheus.instant(target.expr), targets.length === 1)]
        : rangeFrames(target, await prometheus.range(target.expr), stepSeconds),
    ),
  );
  return { panel, frames: configured(panel, await transformed(panel, frames.flat())), cells: [], exemplars };
}

export function isEmpty({ frames, cells }: LoadedPanel): boolean {
  return cells.length === 0 && frames.every(({ length }) => length === 0);
}
