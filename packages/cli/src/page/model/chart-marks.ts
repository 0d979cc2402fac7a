import type { BlockRow } from '../../model/live/page.js';
import type { Cause } from '../../model/types.js';

/** What the chart draws and selects: a pin for one block or, where pins would hide each other, a cell for several. */
export interface Mark {
  /** In the order of the list that was given. */
  readonly blocks: readonly BlockRow[];
  /** Pixels from the left: of a pin its line, of a cell its left edge. */
  readonly x: number;
  /** Pixels from the top: of a pin its head, of a cell its upper edge. */
  readonly y: number;
  /** The cause of most of its blocked time. */
  readonly cause: Cause;
}

export interface Marks {
  /** In the order of time, the longest first where several are at one time. */
  readonly marks: readonly Mark[];
  readonly isDensity: boolean;
  /** Blocks of the fullest cell. */
  readonly mostBlocks: number;
}

export interface ChartScale {
  readonly widthPx: number;
  readonly xOf: (block: BlockRow) => number;
  readonly yOf: (block: BlockRow) => number;
}

/** Pins that are nearer to each other on average are drawn as density. */
const MIN_PX_PER_PIN = 4;
export const CELL_WIDTH_PX = 8;
export const CELL_HEIGHT_PX = 10;

/** The marks of the blocks within the chart's width. */
export function marksOf(blocks: readonly BlockRow[], { widthPx, xOf, yOf }: ChartScale): Marks {
  const isDensity = blocks.length * MIN_PX_PER_PIN > widthPx;
  const cells = new Map<string, { x: number; y: number; blocks: BlockRow[] }>();
  for (const [index, block] of blocks.entries()) {
    const [x, y] = [xOf(block), yOf(block)];
    if (x < 0 || x > widthPx) continue;
    const column = Math.floor(x / CELL_WIDTH_PX);
    const row = Math.floor(y / CELL_HEIGHT_PX);
    const key = isDensity ? `${column}/${row}` : String(index);
    const cell = cells.get(key);
    if (cell) cell.blocks.push(block);
    else if (isDensity) cells.set(key, { x: column * CELL_WIDTH_PX, y: row * CELL_HEIGHT_PX, blocks: [block] });
    else cells.set(key, { x, y, blocks: [block] });
  }
  const marks = [...cells.values()]
    .map((cell): Mark => ({ ...cell, cause: mainCause(cell.blocks) }))
    .sort((a, b) => a.x - b.x || a.y - b.y);
  return { marks, isDensity, mostBlocks: marks.reduce((most, mark) => Math.max(most, mark.blocks.length), 0) };
}

/** Pixels around a pin in which the pointer selects it. */
const NEAR_PX = 12;

/** The mark at the pointer: a cell that contains it, or the nearest pin. */
export function markAt({ marks, isDensity }: Marks, left: number, top: number): Mark | undefined {
  if (isDensity) {
    return marks.find(
      ({ x, y }) => left >= x && left < x + CELL_WIDTH_PX && top >= y - 1 && top < y + CELL_HEIGHT_PX + 1,
    );
  }
  let nearest: Mark | undefined;
  let nearestPx = Infinity;
  for (const mark of marks) {
    const across = Math.abs(mark.x - left);
    if (across > NEAR_PX) continue;
    // A pin can be selected at any height: the vertical distance to its head counts a twentieth.
    const px = across + Math.abs(mark.y - top) / 20;
    if (px < nearestPx) [nearest, nearestPx] = [mark, px];
  }
  return nearest;
}

/** The mark that a key selects: the arrows move by one, Page Up and Page Down by ten. */
export function markAfter(marks: readonly Mark[], current: Mark | undefined, key: string): Mark | undefined {
  const last = marks.length - 1;
  // Each drawing makes new marks, so a mark is found again by its block.
  const index = current ? marks.findIndex(({ blocks }) => blocks.some(({ id }) => id === current.blocks[0]?.id)) : -1;
  const clamp = (wanted: number): Mark | undefined => marks[Math.min(Math.max(wanted, 0), last)];
  switch (key) {
    case 'ArrowRight':
      return clamp(index + 1);
    case 'ArrowLeft':
      return clamp(index === -1 ? last : index - 1);
    case 'PageDown':
      return clamp(index + 10);
    case 'PageUp':
      return clamp(index === -1 ? last : index - 10);
    case 'Home':
      return clamp(0);
    case 'End':
      return clamp(last);
    default:
      return undefined;
  }
}

function mainCause(blocks: readonly BlockRow[]): Cause {
  const time = new Map<Cause, number>();
  for (const { cause, durationMs } of blocks) time.set(cause, (time.get(cause) ?? 0) + durationMs);
  return [...time].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
}
