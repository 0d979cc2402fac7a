import { describe, expect, test } from '@jest/globals';

import { type ComparedRecording, compareRecordings } from '../../src/model/compare/comparison.js';
import type { Block } from '../../src/model/types.js';
import { caveats } from '../../src/model/compare/comparison-text.js';
import { makeBlock, makeComparedRecording } from '../support/records.js';
import { falseAlarmRate, powerToSeeNew, powerToSeeSlower } from '../support/simulated-builds.js';

function blockOf(functionName: string, durationMs: number, overrides: Partial<Block> = {}): Block {
  const culprit = { functionName, filePath: '/app/src/a.js', lineNumber: 3, columnNumber: 5 };
  return makeBlock({ culprit, durationMs, ...overrides });
}

/** Runs in which the function blocks once, for so long. */
function runsOf(functionName: string, durations: readonly number[]): ComparedRecording[] {
  return durations.map((durationMs) =>
    makeComparedRecording(durationMs > 0 ? [blockOf(functionName, durationMs)] : []),
  );
}

function verdictsOf(base: readonly ComparedRecording[], head: readonly ComparedRecording[]): string[] {
  const { culprits } = compareRecordings(base, head);
  return culprits.map(({ key, verdict }) => `${verdict} ${key.split('\n')[0]}`);
}

describe('with enough runs', () => {
  const base = [200, 210, 205, 195, 200];

  test('a culprit of every new run and of no old one is new, the reverse gone', () => {
    expect(verdictsOf(runsOf('f', [0, 0, 0, 0, 0]), runsOf('f', base))).toEqual(['new f']);
    expect(verdictsOf(runsOf('f', base), runsOf('f', [0, 0, 0, 0, 0]))).toEqual(['gone f']);
  });

  test('a culprit that blocks for longer in every run is worse, the reverse better', () => {
    expect(verdictsOf(runsOf('f', base), runsOf('f', [400, 410, 390, 405, 400]))).toEqual(['worse f']);
    expect(verdictsOf(runsOf('f', [400, 410, 390, 405, 400]), runsOf('f', base))).toEqual(['better f']);
  });

  test('a culprit that two of five new runs have and no old one is within noise', () => {
    expect(verdictsOf(runsOf('f', [0, 0, 0, 0, 0]), runsOf('f', [0, 150, 0, 160, 0]))).toEqual(['unclear f']);
  });

  test('a change below a tenth is the same, however certain it is', () => {
    expect(verdictsOf(runsOf('f', [200, 200, 200, 200]), runsOf('f', [215, 215, 215, 215]))).toEqual(['same f']);
  });

  test('time in which a block waited for CPU does not make a build worse', () => {
    const busy = base.map((ms) => makeComparedRecording([blockOf('f', 3 * ms, { runQueueMs: 2 * ms })]));
    expect(verdictsOf(runsOf('f', base), busy)).toEqual(['same f']);
  });
});

test('functions of the same name in two packages of a monorepo are compared apart, in any checkout', () => {
  const runOf = (root: string, billingMs: number, searchMs: number): ComparedRecording => {
    const blockIn = (name: string, durationMs: number): Block => {
      const filePath = `${root}/packages/${name}/src/lib/index.js`;
      return blockOf('parse', durationMs, {
        culprit: { functionName: 'parse', filePath, lineNumber: 1, columnNumber: 1 },
      });
    };
    const blocks = [blockIn('billing', billingMs), blockIn('search', searchMs)];
    return { ...makeComparedRecording(blocks), directory: `${root}/packages/app`, vcs: { rootDirectory: root } };
  };
  const { culprits } = compareRecordings([runOf('/base', 400, 200)], [runOf('/head/shop', 200, 400)]);
  expect(culprits.map(({ location, verdict }) => [verdict, location?.filePath])).toEqual([
    ['worse', '/head/shop/packages/search/src/lib/index.js'],
    ['better', '/head/shop/packages/billing/src/lib/index.js'],
  ]);
});

describe('with one run of each build', () => {
  test('verdicts follow from the difference alone, and the comparison says so', () => {
    const base = [
      makeComparedRecording([
        blockOf('same', 200),
        blockOf('slower', 200),
        blockOf('noise', 200),
        blockOf('gone', 200),
      ]),
    ];
    const head = [
      makeComparedRecording([blockOf('same', 205), blockOf('slower', 400), blockOf('noise', 260), blockOf('new', 200)]),
    ];
    expect(verdictsOf(base, head)).toEqual(['new new', 'worse slower', 'gone gone', 'unclear noise', 'same same']);
    expect(compareRecordings(base, head).isTested).toBe(false);
  });
});

describe('which culprits are the same', () => {
  test('a function that moved within its file, in another checkout', () => {
    const moved = blockOf('f', 210, {
      culprit: { functionName: 'f', filePath: '/other/src/a.js', lineNumber: 90, columnNumber: 1 },
    });
    const base = [makeComparedRecording([blockOf('f', 200)])];
    expect(verdictsOf(base, [makeComparedRecording([moved], { directory: '/other' })])).toEqual(['same f']);
  });

  test('a function of a dependency, wherever node_modules lies', () => {
    const at = (filePath: string): Block =>
      blockOf('parse', 200, { culprit: { functionName: 'parse', filePath, lineNumber: 1, columnNumber: 1 } });
    const base = [makeComparedRecording([at('/app/node_modules/x/index.js')])];
    const head = [makeComparedRecording([at('/app/node_modules/y/node_modules/x/index.js')])];
    expect(verdictsOf(base, head)).toEqual(['same parse']);
  });
});

test('blocks below the highest threshold of all recordings do not count', () => {
  const base = [makeComparedRecording([blockOf('f', 300)], { thresholdMs: 250 })];
  const head = [makeComparedRecording([blockOf('f', 300), blockOf('short', 150)], { thresholdMs: 100 })];
  expect(verdictsOf(base, head)).toEqual(['same f']);
});

describe('simulated builds, five runs a side', () => {
  test.each([
    [1, 0.2],
    [6, 0.2],
    [6, 0.5],
  ])('%i culprits with noise %d: at most one comparison in twenty raises a false alarm', (culprits, noise) => {
    // Two standard errors of 200 comparisons above the level.
    expect(falseAlarmRate({ culprits, noise, runs: 5 })).toBeLessThanOrEqual(0.05 + 0.031);
  });

  test('a new culprit is found, and one that takes half as long again', () => {
    const project = { culprits: 6, noise: 0.2, runs: 5 };
    expect(powerToSeeNew(project)).toBeGreaterThan(0.95);
    expect(powerToSeeSlower(project, 1.5)).toBeGreaterThan(0.9);
  });
});

describe('runs that may not show what the program does', () => {
  const notesOf = (base: readonly ComparedRecording[], head: readonly ComparedRecording[]): string =>
    caveats(compareRecordings(base, head), base, head).join('\n');
  const blocking = runsOf('f', [200, 210, 205]);
  const ended = (overrides: Partial<ComparedRecording>): ComparedRecording[] =>
    blocking.map(() => makeComparedRecording([], overrides));

  test.each([
    ['failed', { exit: { code: 1 } }],
    ['crashed', { exit: { signal: 'SIGSEGV' } }],
    ['were not watched', { processes: [] }],
  ])('are counted where they %s: their culprits are not gone for good', (_how, overrides) => {
    expect(notesOf(blocking, ended(overrides))).toMatch(
      /^In 3 of the 6 runs, the program failed or nothing was watched/,
    );
  });

  test('are none where all ended alike, or a signal stopped a server', () => {
    const failed = runsOf('f', [200, 210, 205]).map((recording) => ({ ...recording, exit: { code: 1 } }));
    expect(notesOf(failed, ended({ exit: { code: 1 } }))).toBe('');
    expect(notesOf(blocking, ended({ exit: { signal: 'SIGTERM' } }))).toBe('');
  });
});
