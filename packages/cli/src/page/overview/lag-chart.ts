import uPlot from 'uplot';

import { largest, smallest } from '../../model/collections.js';
import type { BlockRow } from '../../model/live/page.js';
import type { TimeRange } from '../../model/time-range.js';
import { type Mark, markAfter, markAt, type Marks, marksOf } from '../model/chart-marks.js';
import type { LagSeries } from '../model/lag-series.js';
import type { Hover } from './chart-tooltip.js';
import { drawMarks } from './draw-marks.js';
import { FLOOR_MS, HEIGHT_PX, lagPlotOptions } from './lag-plot-options.js';

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

/** A shorter drag is a click. */
const MIN_DRAG_PX = 6;

/** Draws the chart into the container and follows its width. Colours are read from the style sheet once, here. */
export function createLagChart(container: HTMLElement, handlers: LagChartHandlers): LagChart {
  const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  let data: LagChartData = { series: { timesMs: [], p50Ms: [], p99Ms: [] }, blocks: [], fromMs: 0, toMs: 1 };
  let marks: Marks = { marks: [], isDensity: false, mostBlocks: 0 };
  let hovered: Mark | undefined;

  const plot = new uPlot(
    lagPlotOptions({
      widthPx: container.clientWidth,
      colour,
      shownTimes: () => data,
      highestMs: () => highest(data),
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
    }),
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
