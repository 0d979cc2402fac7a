import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { timeParts } from '../../src/model/blocks/block-time.js';
import { rankCulprits } from '../../src/model/blocks/culprits.js';
import { groupVictims, summariseVictims, victimOf, victimsText } from '../../src/model/blocks/victims.js';
import { flameGraph } from '../../src/model/stacks/flame.js';
import { durationWithin } from '../../src/model/time-range.js';
import type { Victim } from '../../src/model/types.js';
import { makeBlock } from '../support/records.js';

const ms = (max = 100_000): fc.Arbitrary<number> => fc.double({ min: 0, max, noNaN: true });

describe('a selected range', () => {
  test('clips a block that reaches beyond it', () => {
    const block = makeBlock({ startMs: 1_000, durationMs: 500 });
    expect(durationWithin(block, undefined)).toBe(500);
    expect(durationWithin(block, { fromMs: 0, toMs: 9_000 })).toBe(500);
    expect(durationWithin(block, { fromMs: 1_400, toMs: Infinity })).toBe(100);
    expect(durationWithin(block, { fromMs: -Infinity, toMs: 1_200 })).toBe(200);
    expect(durationWithin(block, { fromMs: 1_100, toMs: 1_200 })).toBe(100);
    expect(durationWithin(block, { fromMs: 1_600, toMs: 1_700 })).toBe(0);
  });

  test('is never exceeded by the blocked time of a thread, a culprit or the flame graph', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(ms(500), ms(500))), ms(20_000), ms(20_000), (gaps, fromMs, lengthMs) => {
        const range = { fromMs, toMs: fromMs + lengthMs };
        let atMs = 0;
        // A thread has one block at a time.
        const blocks = gaps.map(([gapMs, durationMs], index) => {
          const startMs = atMs + gapMs;
          atMs = startMs + durationMs;
          return makeBlock({ id: String(index), startMs, durationMs });
        });
        const culprits = rankCulprits(blocks, range);
        const totalMs = culprits.reduce((total, culprit) => total + culprit.totalMs, 0);
        expect(totalMs).toBeLessThanOrEqual(lengthMs + 1e-6);
        expect(flameGraph(blocks, range).value).toBeCloseTo(totalMs, 3);
        for (const culprit of culprits) expect(culprit.longestMs).toBeLessThanOrEqual(culprit.totalMs + 1e-6);
      }),
    );
  });
});

describe('the parts of a block', () => {
  test('add up to its duration, whatever the clocks measured', () => {
    const measured = fc.record({ durationMs: ms(), cpuMs: ms(), gcMs: ms(), runQueueMs: ms() });
    fc.assert(
      fc.property(measured, (times) => {
        const parts = timeParts(makeBlock(times));
        expect(parts.every((part) => part.ms >= 0)).toBe(true);
        const sumMs = parts.reduce((total, part) => total + part.ms, 0);
        expect(sumMs).toBeCloseTo(times.durationMs > 0 ? times.durationMs : 0, 6);
      }),
    );
  });

  test('are not divided into sleep and waiting for CPU where the system does not tell', () => {
    const uses = timeParts(makeBlock({ durationMs: 200, cpuMs: 50 })).filter((part) => part.ms > 0);
    expect(uses).toEqual([
      { use: 'cpu', ms: 50 },
      { use: 'offCpu', ms: 150 },
    ]);
  });

  test('are unknown without the CPU time', () => {
    expect(timeParts(makeBlock({ gcMs: 10 }))).toEqual([]);
  });
});

const victim = (overrides: Partial<Victim> = {}): Victim => ({
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  name: 'GET /health',
  nameKind: 'route',
  instance: 'i1',
  ...overrides,
});

describe('a victim of a block', () => {
  test('waited for it at most as long as both have in common, not for all blocks together', () => {
    const block = makeBlock({ startMs: 10_000, durationMs: 10_500 });
    const span = { startMs: 9_000, endMs: 60_000, waitMs: 26_200 };
    expect(victimOf(block, victim(span)).waitMs).toBe(10_500);
    expect(victimOf(block, victim({ ...span, startMs: 18_500 })).waitMs).toBe(2_000);
    expect(victimOf(block, victim({ ...span, waitMs: 300 })).waitMs).toBe(300);
    expect(victimOf(block, victim()).waitMs).toBeUndefined();
  });

  test('stands with those of the same name, the longest wait first', () => {
    const groups = groupVictims([
      victim({ waitMs: 10 }),
      victim({ name: 'POST /b', waitMs: 30 }),
      victim({ waitMs: 20 }),
    ]);
    expect(
      groups.map(({ name, longestMs, victims }) => [name, longestMs, victims.map(({ waitMs }) => waitMs)]),
    ).toEqual([
      ['POST /b', 30, [30]],
      ['GET /health', 20, [20, 10]],
    ]);
  });

  test.each([
    ['many requests', 125, 5, 'route', '125 requests of 5 routes waited, up to 10.40 s'],
    ['requests without routes', 3, 2, 'path', '3 requests of 2 paths waited, up to 10.40 s'],
    ['one request', 1, 1, 'route', '1 request waited, up to 10.40 s'],
    ['spans', 2, 2, 'name', '2 spans of 2 names waited, up to 10.40 s'],
  ] as const)('is one of a group in words: %s', (_what, count, names, nameKind, text) => {
    const victims = Array.from({ length: count }, (_, index) =>
      victim({ spanId: String(index), name: `GET /${index % names}`, nameKind, waitMs: index === 0 ? 10_400 : 1 }),
    );
    expect(victimsText({ victimCount: count, victimSummary: summariseVictims(victims) })).toBe(text);
  });

  test('is only counted where not all of them are known', () => {
    expect(victimsText({ victimCount: 3 })).toBe('3 spans waited');
    expect(victimsText({ victimCount: 0 })).toBeUndefined();
  });
});
