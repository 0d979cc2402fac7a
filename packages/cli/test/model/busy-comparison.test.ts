import { expect, test } from '@jest/globals';

import type { BusyEntry } from '../../src/model/busy-time/busy.js';
import { functionChangeText } from '../../src/model/compare/busy-comparison.js';
import { type ComparedRecording, compareRecordings } from '../../src/model/compare/comparison.js';
import { makeComparedRecording } from '../support/records.js';

/** A run whose loop was busy for ten seconds, by a thousand answers, with these times of functions. */
function runOf(
  times: Readonly<Record<string, number>>,
  overrides: Partial<BusyEntry> = {},
  directory = '/app',
): ComparedRecording {
  const entryOf = (functionName: string, ms: number): BusyEntry => ({
    request: 'GET /search',
    culprit: { functionName, filePath: `${directory}/src/filters.ts`, lineNumber: 12 },
    ms,
    blockedMs: 0,
    guessMs: 0,
    answers: Math.round(ms / 10),
    ...overrides,
  });
  const known = Object.values(times).reduce((sum, ms) => sum + ms, 0);
  const busy = [
    ...Object.entries(times).map(([name, ms]) => entryOf(name, ms)),
    { ms: 10_000 - known, blockedMs: 0, guessMs: 0, answers: Math.round((10_000 - known) / 10) },
  ];
  return makeComparedRecording([], { busy, directory });
}

const textsOf = (base: ComparedRecording[], head: ComparedRecording[]): string[] | undefined =>
  compareRecordings(base, head).busy?.map(functionChangeText);

test('A function that takes more of the loop than before is named, beyond noise and in whichever checkout', () => {
  const base = [1000, 1100, 1050, 980, 1020].map((parse) => runOf({ parse, render: 3000 + (parse % 70) }));
  const head = [3400, 3300, 3500, 3450, 3380].map((parse) =>
    runOf({ parse, render: 3000 + (parse % 70) }, {}, '/other'),
  );
  expect(textsOf(base, head)).toEqual([
    'Busy time outside of blocks, worse: parse (src/filters.ts:12), 1.03 s → 3.41 s a run; p = 0.004.',
  ]);
  expect(textsOf(head, base)?.[0]).toContain('better: parse');
});

test('Builds that do not differ have no such function, whatever the answers of a run are', () => {
  const noisy = (seed: number): ComparedRecording[] =>
    Array.from({ length: 5 }, (_, run) =>
      runOf({ parse: 1000 + ((seed + run * 37) % 5) * 60, render: 3000 - ((seed + run * 11) % 7) * 80 }),
    );
  for (const seed of [1, 2, 3, 4]) expect(textsOf(noisy(seed), noisy(seed + 9))).toEqual([]);
});

test('Of single runs, a function is named where the intervals of its share do not meet and its time differs by half', () => {
  expect(textsOf([runOf({ parse: 1000 })], [runOf({ parse: 2500 })])?.[0]).toContain('worse: parse');
  expect(textsOf([runOf({ parse: 2500 })], [runOf({ parse: 3200 })])).toEqual([]);
  expect(textsOf([runOf({ other: 5000 })], [runOf({ other: 5000, parse: 1500 })])?.[0]).toContain('new: parse');
  const few = { answers: 3 };
  expect(textsOf([runOf({ parse: 1000 }, few)], [runOf({ parse: 2500 }, few)])).not.toBeUndefined();
});

test('A function with hardly any time, and time in blocks, are not compared', () => {
  expect(textsOf([runOf({ parse: 100 })], [runOf({ parse: 400 })])).toEqual([]);
  expect(textsOf([runOf({ parse: 1000 })], [runOf({ parse: 9000 }, { blockedMs: 8000 })])).toEqual([]);
});

test('Recordings without the time of the loop have no such comparison', () => {
  expect(textsOf([makeComparedRecording([])], [runOf({ parse: 1000 })])).toBeUndefined();
});
