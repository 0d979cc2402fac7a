import { describe, expect, test } from '@jest/globals';

import { summariseBlocks } from '../../src/model/blocks/culprit-summary.js';
import {
  groupVictimsOfBlocks,
  shortVictimsText,
  summariseGroups,
  victimsText,
} from '../../src/model/blocks/victims.js';
import { lineTimes, lineTimesOfBlock, parseLines, sourceLines } from '../../src/model/stacks/line-times.js';
import type { Block, Victim } from '../../src/model/types.js';
import { makeBlock } from '../support/records.js';

const FILE = '/app/src/slow.js';
const at = (lineNumber: number, durationMs: number, filePath = FILE): Block =>
  makeBlock({ durationMs, culprit: { functionName: 'slow', filePath, lineNumber, columnNumber: 1 } });

describe('the time of each line', () => {
  const blocks = [at(10, 100), at(12, 300), at(10, 150), at(0, 500), at(10, 900, '/app/src/other.js')];

  test('is that of the blocks whose culprit was seen there, most first', () => {
    expect(lineTimes(blocks, FILE)).toEqual([
      { lineNumber: 12, ms: 300, count: 1 },
      { lineNumber: 10, ms: 250, count: 2 },
    ]);
  });

  test('of a selected range is the part within it', () => {
    expect(lineTimes([at(10, 200)], FILE, { fromMs: 1_150, toMs: 2_000 })).toEqual([
      { lineNumber: 10, ms: 50, count: 1 },
    ]);
  });

  test('divides the time of a block among the lines that its samples show', () => {
    expect(lineTimes([{ ...at(12, 400), lines: '12 300\n14 100' }, at(14, 50)], FILE)).toEqual([
      { lineNumber: 12, ms: 300, count: 1 },
      { lineNumber: 14, ms: 150, count: 2 },
    ]);
  });

  test('of one block is as wide as the culprit in the flame graph', () => {
    const block = { ...at(12, 500), profile: 'handle;slow 350\nhandle 50', lines: '12 300\n14 50' };
    expect(lineTimesOfBlock(block)).toEqual([
      { lineNumber: 12, ms: 375, count: 1 },
      { lineNumber: 14, ms: 62.5, count: 1 },
    ]);
    expect(lineTimesOfBlock(at(12, 500))).toEqual([]);
  });

  test('is read from lines of two numbers', () => {
    expect(parseLines('17 1650\n19 330.5')).toEqual([
      [17, 1650],
      [19, 330.5],
    ]);
    expect(parseLines('a 5\n-3 5\n1.5 5\n7 0\n\n8')).toEqual([]);
  });

  test('stands at the source, with gaps between lines that are far apart', () => {
    const texts = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [String(index + 1), `line ${index + 1}`]),
    );
    const lines = sourceLines({ [FILE]: texts }, FILE, lineTimes([at(10, 100), at(40, 50)], FILE));
    expect(lines.map(({ lineNumber }) => lineNumber)).toEqual([7, 8, 9, 10, 11, 12, 13, 37, 38, 39, 40, 41, 42, 43]);
    expect(lines.filter(({ ms }) => ms > 0).map(({ text, ms }) => [text, ms])).toEqual([
      ['line 10', 100],
      ['line 40', 50],
    ]);
    expect(lines.filter(({ isAfterGap }) => isAfterGap).map(({ lineNumber }) => lineNumber)).toEqual([37]);
    expect(sourceLines({}, FILE, lineTimes(blocks, FILE))).toEqual([]);
  });
});

describe('the summary of a culprit', () => {
  test('divides its time by cause, request and version', () => {
    const instances = new Map([
      ['i1', { id: 'i1', service: 'api', label: 'a', version: '1.3.0' }],
      ['i2', { id: 'i2', service: 'api', label: 'b' }],
    ]);
    const blocks = [
      makeBlock({ startMs: 1_000, durationMs: 100, request: 'GET /a', runQueueMs: 50 }),
      makeBlock({ startMs: 3_000, durationMs: 300, request: 'GET /a', instance: 'i2', suppressedCount: 4 }),
      makeBlock({ startMs: 2_000, durationMs: 200, cause: 'gc', asyncResource: 'Timeout' }),
    ];
    const { firstMs, lastMs, causes, requests, versions } = summariseBlocks(blocks, instances);
    expect([firstMs, lastMs]).toEqual([1_000, 3_000]);
    expect(causes).toMatchObject([
      { name: 'javascript', count: 6, totalMs: 400, longestMs: 300, runQueueMs: 50 },
      { name: 'gc', count: 1, totalMs: 200 },
    ]);
    expect(causes[1]).not.toHaveProperty('runQueueMs');
    expect(requests.map(({ name, totalMs }) => [name, totalMs])).toEqual([
      ['GET /a', 400],
      ['unknown', 200],
    ]);
    expect(versions.map(({ name, totalMs }) => [name, totalMs])).toEqual([
      ['api 1.3.0', 300],
      ['api', 300],
    ]);
  });
});

describe('who waited for a culprit', () => {
  const victim = (spanId: string, name: string, waitMs: number): Victim => ({
    traceId: 't',
    spanId,
    name,
    instance: 'i1',
    nameKind: 'route',
    waitMs,
  });

  test('is counted once, with the longest wait for one block', () => {
    const groups = groupVictimsOfBlocks([
      [victim('a', 'GET /a', 100), victim('b', 'GET /b', 900)],
      [victim('a', 'GET /a', 2_400)],
    ]);
    expect(groups.map(({ name, count, longestMs }) => [name, count, longestMs])).toEqual([
      ['GET /a', 1, 2_400],
      ['GET /b', 1, 900],
    ]);
    const summary = summariseGroups(groups);
    expect(victimsText(summary)).toBe('2 requests of 2 routes waited, up to 2.40 s');
    expect(shortVictimsText(summary)).toBe('2, up to 2.40 s');
    expect(shortVictimsText(summariseGroups([]))).toBe('');
  });

  test('is cut in a group of thousands, whose number stays', () => {
    const many = Array.from({ length: 3_000 }, (_, index) => victim(`v${index}`, 'GET /a', index));
    const [group] = groupVictimsOfBlocks([many]);
    expect(group!.count).toBe(3_000);
    expect(group!.victims.length).toBeLessThan(100);
    expect(group!.victims[0]!.waitMs).toBe(2_999);
  });
});
