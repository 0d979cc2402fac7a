import uPlot from 'uplot';

import { formatMs } from '../../model/format.js';
import type { LagSeries } from '../model/lag-series.js';
import type { BlockRow } from '../../model/page.js';

export interface LagChartData {
  readonly series: LagSeries;
  readonly blocks: readonly BlockRow[];
  readonly fromMs: number;
  readonly toMs: number;
}

export interface LagChartHandlers {
  readonly onRange: (fromMs: number, toMs: number) => void;
  /** Undefined if no block is near the pointer. */
  readonly onHover: (block: BlockRow | undefined, left: number, top: number) => void;
  readonly onOpen: (blockId: string) => void;
}

export interface LagChart {
  update(data: LagChartData): void;
  destroy(): void;
}

const HEIGHT_PX = 240;
/** Lower bound of the logarithmic scale: a lower lag is drawn there. */
const FLOOR_MS = 0.1;
const NEAR_PX = 12;
/** Labels show whole seconds: closer ticks would have equal labels. */
const TICK_STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 86_400].map(
  (seconds) => seconds * 1_000,
);
// `uPlot.Scale.Distr.Logarithmic` exists in the types only, not in the library.
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- so its number is used
const LOGARITHMIC = 3 as uPlot.Scale.Distr;
const PIN_RADIUS_PX = 3.5;

/** Draws the chart into the container and follows its width. Colours are read from the style sheet once, here. */
export function createLagChart(container: HTMLElement, handlers: LagChartHandlers): LagChart {
  const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  let data: LagChartData = { series: { timesMs: [], p50Ms: [], p99Ms: [] }, blocks: [], fromMs: 0, toMs: 1 };
  let hovered: BlockRow | undefined;

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
      padding: [12, 8, 0, 0],
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
            drawPins(drawn, data.blocks, hovered, (cause) => colour(`--cause-${cause}`));
          },
        ],
        setCursor: [
          (moved) => {
            const nearest = nearestBlock(moved, data.blocks);
            if (nearest?.id !== hovered?.id) {
              hovered = nearest;
              moved.redraw(false, false);
            }
            handlers.onHover(
              hovered,
              hovered ? moved.valToPos(hovered.startMs, 'x') + moved.over.offsetLeft : 0,
              hovered ? moved.valToPos(hovered.durationMs, 'y') + moved.over.offsetTop : 0,
            );
            moved.over.style.cursor = hovered ? 'pointer' : '';
          },
        ],
        setSelect: [
          (selected) => {
            const { left, width } = selected.select;
            if (width < NEAR_PX / 2) return;
            handlers.onRange(selected.posToVal(left, 'x'), selected.posToVal(left + width, 'x'));
            selected.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    },
    [[], [], []],
    container,
  );
  plot.over.addEventListener('click', () => {
    if (hovered) handlers.onOpen(hovered.id);
  });
  plot.over.addEventListener('mouseleave', () => {
    hovered = undefined;
    handlers.onHover(undefined, 0, 0);
    plot.redraw(false, false);
  });
  const resize = new ResizeObserver(() => {
    plot.setSize({ width: container.clientWidth, height: HEIGHT_PX });
  });
  resize.observe(container);

  return {
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

function drawPins(
  plot: uPlot,
  blocks: readonly BlockRow[],
  hovered: BlockRow | undefined,
  colourOf: (cause: string) => string,
): void {
  const { ctx, bbox } = plot;
  const pixels = devicePixelRatio;
  const colours = new Map<string, string>();
  const floor = bbox.top + bbox.height;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, floor);
  ctx.clip();
  for (const block of hovered ? [...blocks, hovered] : blocks) {
    let colour = colours.get(block.cause);
    if (colour === undefined) colours.set(block.cause, (colour = colourOf(block.cause)));
    const x = plot.valToPos(block.startMs, 'x', true);
    const y = plot.valToPos(Math.max(block.durationMs, FLOOR_MS), 'y', true);
    const isHovered = block === hovered;
    ctx.strokeStyle = ctx.fillStyle = colour;
    ctx.lineWidth = (isHovered ? 2 : 1) * pixels;
    ctx.globalAlpha = isHovered ? 1 : 0.45;
    ctx.beginPath();
    ctx.moveTo(x, floor);
    ctx.lineTo(x, y);
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.beginPath();
    ctx.arc(x, y, (isHovered ? PIN_RADIUS_PX + 2 : PIN_RADIUS_PX) * pixels, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.restore();
}

function nearestBlock(plot: uPlot, blocks: readonly BlockRow[]): BlockRow | undefined {
  const { left = -1, top = -1 } = plot.cursor;
  if (left < 0) return undefined;
  let nearest: BlockRow | undefined;
  let nearestPx = Infinity;
  for (const block of blocks) {
    const across = Math.abs(plot.valToPos(block.startMs, 'x') - left);
    if (across > NEAR_PX) continue;
    // A pin can be selected at any height: the vertical distance to its head counts a twentieth.
    const px = across + Math.abs(plot.valToPos(block.durationMs, 'y') - top) / 20;
    if (px < nearestPx) [nearest, nearestPx] = [block, px];
  }
  return nearest;
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
