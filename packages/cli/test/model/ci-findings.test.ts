import { describe, expect, test } from '@jest/globals';

import { compareRecordings } from '../../src/model/compare/comparison.js';
import { failingLimit, findingsOfComparison, findingsOfRun } from '../../src/model/report/ci-findings.js';
import type { CodeLocation } from '../../src/model/types.js';
import { makeBlock, makeComparedRecording, makeRecording } from '../support/records.js';

const at = (filePath: string, functionName = 'slow'): { culprit: CodeLocation } => ({
  culprit: { functionName, filePath, lineNumber: 3, columnNumber: 5 },
});

describe('the findings of a run', () => {
  test('are errors from the limit on, and notes below it', () => {
    const blocks = [
      makeBlock({ durationMs: 300, ...at('/app/src/a.js', 'a') }),
      makeBlock({ durationMs: 250, ...at('/app/src/b.js', 'b') }),
    ];
    const findings = findingsOfRun(makeRecording(blocks), 250);
    expect(findings.map(({ functionName, level }) => [functionName, level])).toEqual([
      ['a', 'error'],
      ['b', 'note'],
    ]);
    expect(findings[0]).toMatchObject({
      title: 'Event loop blocked for 300 ms',
      message: expect.stringMatching(/^a \(src\/a\.js:3\) took 55 % of the blocked time/),
      place: { path: 'src/a.js', line: 3, column: 5 },
    });
  });

  test.each([
    ['the repository that the recording names', '/repo/part', { rootDirectory: '/repo' }, '/elsewhere', 'part/a.js'],
    ['the checkout of the job', '/repo/part', undefined, '/repo', 'part/a.js'],
    ['the working directory, elsewhere', '/repo/part', undefined, '/other', 'a.js'],
  ])('have a path relative to %s', (_what, directory, vcs, root, path) => {
    const recording = makeRecording([makeBlock(at('/repo/part/a.js'))], { directory, ...(vcs && { vcs }) });
    expect(findingsOfRun(recording, 100, root)[0]?.place?.path).toBe(path);
  });

  test.each(['/app/node_modules/x/a.js', 'node:fs', '/lib/a.js', '/application/a.js'])(
    'have no place in the repository for %s',
    (file) => {
      expect(findingsOfRun(makeRecording([makeBlock(at(file))]), 100)[0]).not.toHaveProperty('place');
    },
  );

  test('know a block without a stack', () => {
    const { culprit: _culprit, ...block } = makeBlock({ cause: 'gc' });
    expect(findingsOfRun(makeRecording([block]), 100)).toMatchObject([
      { functionName: 'no stack (gc)', file: '', level: 'error' },
    ]);
  });
});

test('the limit of a run is the lower one of those that fail it', () => {
  expect(failingLimit({ exit: { code: 0 } }, undefined)).toBe(Infinity);
  expect(failingLimit({ exit: { code: 0 } }, 250)).toBe(250);
  expect(failingLimit({ exit: { signal: 'SIGTERM', killedAfterMs: 2000 } }, undefined)).toBe(2000);
});

test('the findings of a comparison are what is new or worse; only a new one above the limit is an error', () => {
  const runs = (blocks: readonly (readonly [string, number])[]): ReturnType<typeof makeComparedRecording>[] =>
    [0, 1, 2, 3].map(() =>
      makeComparedRecording(blocks.map(([name, durationMs]) => makeBlock({ durationMs, ...at('/app/a.js', name) }))),
    );
  const base = runs([['gone', 500], ['worse', 200], ['same', 300]]); // prettier-ignore
  const head = runs([['worse', 900], ['same', 300], ['long', 400], ['short', 150]]); // prettier-ignore
  const findings = findingsOfComparison(compareRecordings(base, head), head, 300);
  expect(Object.fromEntries(findings.map(({ functionName, level }) => [functionName, level]))).toEqual({
    long: 'error',
    short: 'warning',
    worse: 'warning',
  });
  expect(findings.find(({ functionName }) => functionName === 'long')?.message).toMatch(
    /0 µs → 400 ms in a run, in 4 of 4 runs, before in 0 of 4; p = 0\.0\d+\.$/,
  );
});
