import type uPlot from 'uplot';

import type { TimeRange } from '../../model/time-range.js';
import { formatMs } from '../../model/text/format.js';

export const HEIGHT_PX = 240;
/** Lower bound of the logarithmic scale: a lower lag is drawn there. */
export const FLOOR_MS = 0.1;
/** Labels show whole seconds: closer ticks would have equal labels. */
const TICK_STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 86_400].map(
  (seconds) => seconds * 1_000,
);
// `uPlot.Scale.Distr.Logarithmic` exists in the types only, not in the library.
const LOGARITHMIC = 3 as uPlot.Scale.Distr;

export interface LagPlot {
  readonly widthPx: number;
  /** A colour of the style sheet, by its name there. */
  readonly colour: (name: string) => string;
  readonly shownTimes: () => TimeRange;
  /** Upper end of the scale, ms. */
  readonly highestMs: () => number;
  readonly hooks: uPlot.Hooks.Arrays;
}

/** The library's options: two lines on a logarithmic scale, and no legend. */
export function lagPlotOptions({ widthPx, colour, shownTimes, highestMs, hooks }: LagPlot): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: colour('--text-muted'),
    font: '11px system-ui, sans-serif',
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: widthPx,
    height: HEIGHT_PX,
    ms: 1,
    legend: { show: false },
    // On the right, room for half of the last time.
    padding: [12, 30, 0, 0],
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { show: false } },
    scales: {
      x: {
        range: () => {
          const { fromMs, toMs } = shownTimes();
          return [fromMs, toMs];
        },
      },
      y: { distr: LOGARITHMIC, log: 10, range: () => [FLOOR_MS, highestMs()] },
    },
    axes: [
      { ...axis, space: 80, size: 30, incrs: TICK_STEPS_MS, values: (_plot, ticks) => ticks.map(tickClock) },
      {
        ...axis,
        size: 64,
        splits: (_plot, _axis, _min, max) => decades(max),
        values: (_plot, ticks) => ticks.map(tickMs),
      },
    ],
    series: [
      {},
      lineSeries(colour('--lag-p50'), 1.5),
      { ...lineSeries(colour('--lag-p99'), 1.5), fill: colour('--lag-fill') },
    ],
    hooks,
  };
}

function lineSeries(stroke: string, width: number): uPlot.Series {
  return { stroke, width, points: { show: false }, spanGaps: false };
}

/** Grid lines at powers of ten only: uPlot draws lines between them too. */
function decades(maxMs: number): number[] {
  const count = Math.floor(Math.log10(maxMs / FLOOR_MS)) + 1;
  return Array.from({ length: count }, (_, index) => FLOOR_MS * 10 ** index);
}

function tickMs(ms: number): string {
  return formatMs(ms).replace(/\.0+ /, ' ');
}

function tickClock(epochMs: number): string {
  return new Date(epochMs).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  });
}
