import uPlot from 'uplot';

import { largest, smallest } from '../../model/collections.js';
import type { BlockRow } from '../../model/live/page.js';
import { formatMs } from '../../model/text/format.js';
import type { TimeRange } from '../../model/time-range.js';
import { type Mark, markAfter, markAt, type Marks, marksOf } from '../model/chart-marks.js';
import type { LagSeries } from '../model/lag-series.js';
import type { Hover } from './chart-tooltip.js';
import { drawMarks } from './draw-marks.js';

export interface LagChartData {
  readonly series: LagSeries;
  readonly blocks: readonly BlockRow[];
  readonly fromMs: number;
  readonly toMs: number;
}

export interface LagChartHandlers {
  readonly onRange: (fromMs: number, toMs: number) => void;
  /** Undefined if nothing is near the pointer, and none was selected by keyboard. */
  readonly onHover: (hover: Hover | undefined) => void;
  readonly onOpen: (blockId: string) => void;
}

export interface LagChart {
  update(data: LagChartData): void;
  /** Selects another mark, or opens the selected one; returns whether the key means something to the chart. */
  press(key: string): boolean;
  /** Nothing is selected. */
  leave(): void;
  destroy(): void;
}

const HEIGHT_PX = 240;
/** Lower bound of the logarithmic scale: a lower lag is drawn there. */
const FLOOR_MS = 0.1;
/** A shorter drag is a click. */
const MIN_DRAG_PX = 6;
/** Labels show whole seconds: closer ticks would have equal labels. */
const TICK_STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 86_400].map(
  (seconds) => seconds * 1_000,
);
// `uPlot.Scale.Distr.Logarithmic` exists in the types only, not in the library.
const LOGARITHMIC = 3 as uPlot.Scale.Distr;

/** Draws the chart into the container and follows its width. Colours are read from the style sheet once, here. */
export function createLagChart(container: HTMLElement, handlers: LagChartHandlers): LagChart {
  const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  let data: LagChartData = { series: { timesMs: [], p50Ms: [], p99Ms: [] }, blocks: [], fromMs: 0, toMs: 1 };
  let marks: Marks = { marks: [], isDensity: false, mostBlocks: 0 };
  let hovered: Mark | undefined;

  const axis: uPlot.Axis = {
    stroke: colour('--text-muted'),
    font: '11px system-ui, sans-serif',
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const plot = new uPlot(
    {
      width: container.clientWidth,
      height: HEIGHT_PX,
      ms: 1,
      legend: { show: false },
      // On the right, room for half of the last time.
      padding: [12, 30, 0, 0],
      cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { show: false } },
      scales: {
        x: { range: () => [data.fromMs, data.toMs] },
        y: { distr: LOGARITHMIC, log: 10, range: () => [FLOOR_MS, highest(data)] },
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
      hooks: {
        draw: [
          (drawn) => {
            marks = marksOf(data.blocks, {
              widthPx: drawn.over.clientWidth,
              xOf: ({ startMs }) => drawn.valToPos(startMs, 'x'),
              yOf: ({ durationMs }) => drawn.valToPos(Math.max(durationMs, FLOOR_MS), 'y'),
            });
            drawMarks(drawn, marks, hovered, (cause) => colour(`--cause-${cause}`));
          },
        ],
        setCursor: [
          (moved) => {
            const { left = -1, top = -1 } = moved.cursor;
            // Negative: the pointer is elsewhere, and what the keyboard has selected stays.
            if (left >= 0) select(moved, markAt(marks, left, top));
          },
        ],
        setSelect: [
          (selected) => {
            const { left, width } = selected.select;
            if (width < MIN_DRAG_PX) return;
            handlers.onRange(selected.posToVal(left, 'x'), selected.posToVal(left + width, 'x'));
            selected.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    },
    [[], [], []],
    container,
  );
  plot.over.addEventListener('click', open);
  plot.over.addEventListener('mouseleave', () => {
    select(plot, undefined);
  });
  const resize = new ResizeObserver(() => {
    plot.setSize({ width: container.clientWidth, height: HEIGHT_PX });
  });
  resize.observe(container);

  function select(chart: uPlot, mark: Mark | undefined): void {
    const isOther = mark?.blocks[0]?.id !== hovered?.blocks[0]?.id;
    hovered = mark;
    if (!isOther) return;
    chart.redraw(false, false);
    chart.over.style.cursor = mark ? 'pointer' : '';
    const { offsetLeft, offsetTop } = chart.over;
    handlers.onHover(mark && { mark, left: mark.x + offsetLeft, top: mark.y + offsetTop });
  }

  /** One block opens; of several their time is selected, which shows them apart. */
  function open(): void {
    const [block, ...others] = hovered?.blocks ?? [];
    if (!block) return;
    if (others.length === 0) {
      handlers.onOpen(block.id);
      return;
    }
    const range = rangeOfBlocks([block, ...others]);
    select(plot, undefined);
    handlers.onRange(range.fromMs, range.toMs);
  }

  return {
    press(key) {
      if (key === 'Enter' && hovered) {
        open();
        return true;
      }
      const next = markAfter(marks.marks, hovered, key);
      if (next) select(plot, next);
      return next !== undefined;
    },
    leave() {
      select(plot, undefined);
    },
    update(next) {
      data = next;
      const { timesMs, p50Ms, p99Ms } = next.series;
      plot.setData([timesMs, p50Ms.map(atLeastFloor), p99Ms.map(atLeastFloor)]);
    },
    destroy() {
      resize.disconnect();
      plot.destroy();
    },
  };
}

function lineSeries(stroke: string, width: number): uPlot.Series {
  return { stroke, width, points: { show: false }, spanGaps: false };
}

function highest({ series, blocks }: LagChartData): number {
  let highestMs = 100;
  for (const ms of series.p99Ms) highestMs = Math.max(highestMs, ms ?? 0);
  for (const { durationMs } of blocks) highestMs = Math.max(highestMs, durationMs);
  return highestMs * 1.6;
}

/** From the first start to the last end. */
function rangeOfBlocks(blocks: readonly BlockRow[]): TimeRange {
  return {
    fromMs: smallest(blocks.map(({ startMs }) => startMs)),
    toMs: largest(blocks.map(({ startMs, durationMs }) => startMs + durationMs)),
  };
}

function atLeastFloor(ms: number | null): number | null {
  return ms === null ? null : Math.max(ms, FLOOR_MS);
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
