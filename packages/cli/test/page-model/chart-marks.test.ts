import { describe, expect, test } from '@jest/globals';

import { type BlockRow, rowOf } from '../../src/model/live/page.js';
import {
  CELL_HEIGHT_PX,
  CELL_WIDTH_PX,
  markAfter,
  markAt,
  type Marks,
  marksOf,
} from '../../src/page/model/chart-marks.js';
import { makeBlock } from '../support/records.js';

const block = (id: string, startMs: number, durationMs = 100): BlockRow =>
  rowOf(makeBlock({ id, startMs, durationMs }));
/** A pixel for each ms, the longest at the top. */
const marks = (blocks: readonly BlockRow[], widthPx = 100): Marks =>
  marksOf(blocks, { widthPx, xOf: ({ startMs }) => startMs, yOf: ({ durationMs }) => 200 - durationMs });

describe('the marks of the chart', () => {
  test('are pins as long as they do not hide each other', () => {
    const { marks: pins, isDensity } = marks([block('b', 50), block('a', 10), block('outside', 101)]);
    expect(isDensity).toBe(false);
    expect(pins.map(({ x, y, blocks }) => [x, y, blocks.map(({ id }) => id)])).toEqual([
      [10, 100, ['a']],
      [50, 100, ['b']],
    ]);
  });

  test('are cells with every block once if there are many', () => {
    const blocks = Array.from({ length: 1_000 }, (_, index) =>
      block(`b${index}`, (index * 7) % 100, 20 + (index % 90)),
    );
    const { marks: cells, isDensity, mostBlocks } = marks(blocks);
    expect(isDensity).toBe(true);
    const ids = cells.flatMap((cell) => cell.blocks.map(({ id }) => id));
    expect(new Set(ids).size).toBe(1_000);
    expect(ids).toHaveLength(1_000);
    expect(cells.length).toBeLessThan(200);
    expect(mostBlocks).toBe(Math.max(...cells.map((cell) => cell.blocks.length)));
    for (const { x, y, blocks: own } of cells) {
      expect(own.every(({ startMs }) => startMs >= x && startMs < x + CELL_WIDTH_PX)).toBe(true);
      expect(own.every(({ durationMs }) => 200 - durationMs >= y && 200 - durationMs < y + CELL_HEIGHT_PX)).toBe(true);
    }
  });

  test('have the cause of most of their time', () => {
    const gc = { ...block('gc', 1, 90), cause: 'gc' as const };
    const blocks = Array.from({ length: 30 }, (_, index) => block(`b${index}`, 1, 1 + (index % 2)));
    const [cell] = marksOf([...blocks, gc], { widthPx: 100, xOf: () => 1, yOf: () => 1 }).marks;
    expect(cell!.cause).toBe('gc');
  });

  test('are found by the pointer: a pin at any height, a cell where it is', () => {
    const pins = marks([block('a', 10), block('b', 50)]);
    expect(markAt(pins, 15, 190)?.blocks[0]!.id).toBe('a');
    expect(markAt(pins, 30, 190)).toBeUndefined();
    const cells = marks(Array.from({ length: 100 }, (_, index) => block(`b${index}`, 3, 100)));
    expect(markAt(cells, 4, 105)?.blocks).toHaveLength(100);
    expect(markAt(cells, 4, 30)).toBeUndefined();
  });

  test('are selected by keys, also after another drawing', () => {
    const blocks = [block('a', 10), block('b', 20), block('c', 30)];
    const idAfter = (current: string | undefined, key: string): string | undefined => {
      const before = marks(blocks).marks.find((mark) => mark.blocks[0]!.id === current);
      return markAfter(marks(blocks).marks, before, key)?.blocks[0]!.id;
    };
    expect(idAfter(undefined, 'ArrowRight')).toBe('a');
    expect(idAfter(undefined, 'ArrowLeft')).toBe('c');
    expect(idAfter('a', 'ArrowRight')).toBe('b');
    expect(idAfter('a', 'ArrowLeft')).toBe('a');
    expect(idAfter('a', 'PageDown')).toBe('c');
    expect(idAfter('b', 'Home')).toBe('a');
    expect(idAfter('b', 'x')).toBeUndefined();
    expect(markAfter([], undefined, 'End')).toBeUndefined();
  });
});
