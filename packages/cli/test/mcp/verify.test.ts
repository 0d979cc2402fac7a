import { describe, expect, test } from '@jest/globals';

import { culpritId } from '../../src/cli/mcp/source.js';
import { verifyFix } from '../../src/cli/mcp/verify.js';
import type { Recording } from '../../src/model/recording/recording.js';
import type { Block } from '../../src/model/types.js';
import { makeBlock, makeRecording } from '../support/records.js';

let runs = 0;

/** Recordings of runs in which these functions block for so long, ms. Each run differs a little. */
function record(
  blocked: Readonly<Record<string, number>>,
  { count = 4, ...overrides }: Partial<Recording> & { count?: number } = {},
): Recording[] {
  return Array.from({ length: count }, () => {
    runs += 1;
    const blocks: Block[] = Object.entries(blocked).map(([functionName, ms]) =>
      makeBlock({
        durationMs: ms * (1 + (runs % 5) / 100),
        culprit: { functionName, filePath: '/app/src/a.js', lineNumber: 3, columnNumber: 1 },
      }),
    );
    return makeRecording(blocks, { startedMs: runs, ...overrides });
  });
}

describe('a change of one function', () => {
  test.each([
    ['that blocks no more', { other: 300 }, 'gone'],
    ['that blocks for half of the time', { slow: 250, other: 300 }, 'better'],
    ['that blocks as before', { slow: 500, other: 300 }, 'same'],
    ['that blocks for twice the time', { slow: 1000, other: 300 }, 'worse'],
    ['that has another name now', { renamed: 500, other: 300 }, 'same'],
    ['whose time another function takes', { other: 800 }, 'same'],
    ['whose work is divided among two new ones', { one: 250, two: 250, other: 300 }, 'same'],
  ])('%s', (_what, after, verdict) => {
    const before = record({ slow: 500, other: 300 });
    expect(verifyFix(before, record(after), 'slow').verdict).toBe(verdict);
  });

  test('says which others are worse, where it has helped all the same', () => {
    const result = verifyFix(record({ slow: 900, other: 300 }), record({ other: 450 }), 'slow');
    expect(result).toMatchObject({ verdict: 'gone', text: expect.stringContaining('But 1 other culprits') });
  });
});

describe('a change of the program', () => {
  test.each([
    ['nothing blocks any more', {}, 'gone'],
    ['one of two does', { b: 300 }, 'better'],
    ['nothing has changed', { a: 500, b: 300 }, 'same'],
    ['the names have changed', { c: 500, d: 300 }, 'worse'],
    ['another one blocks, too', { a: 500, b: 300, c: 400 }, 'worse'],
  ])('%s', (_what, after, verdict) => {
    expect(verifyFix(record({ a: 500, b: 300 }), record(after)).verdict).toBe(verdict);
  });
});

describe('too few runs', () => {
  test.each([
    [2, 5],
    [5, 2],
    [1, 1],
  ])('%d before and %d after', (before, after) => {
    const result = verifyFix(record({ slow: 500 }, { count: before }), record({}, { count: after }), 'slow');
    expect(result).toMatchObject({ verdict: 'too_few', runs: { before, after } });
    expect(result).not.toHaveProperty('p');
  });

  test.each([
    ['failed', { exit: { code: 1 } }],
    ['crashed', { exit: { signal: 'SIGSEGV' } }],
    ['were not watched', { processes: [] }],
  ])('runs that %s after the change do not count: a program that ends at once blocks nothing', (_how, overrides) => {
    const result = verifyFix(record({ slow: 500 }), record({}, overrides));
    expect(result).toMatchObject({ verdict: 'too_few', text: expect.stringContaining('do not count') });
  });

  test('a server that was stopped counts, as does a program that fails before and after alike', () => {
    const stopped = { exit: { signal: 'SIGTERM' } };
    expect(verifyFix(record({ slow: 500 }, stopped), record({}, stopped)).verdict).toBe('gone');
    const failed = { exit: { code: 1 } };
    expect(verifyFix(record({ slow: 500 }, failed), record({}, failed)).verdict).toBe('gone');
  });
});

describe('recordings that prove nothing', () => {
  test('the same run twice', () => {
    const before = record({ slow: 500 });
    expect(() => verifyFix(before, [...record({}), before[0]!])).toThrow(/different runs, got some twice/);
  });

  test('another command', () => {
    const other = record({}, { command: ['node', 'other.js'] });
    expect(() => verifyFix(record({ slow: 500 }), other)).toThrow(/same command before and after, got "node app\.js"/);
  });

  test('a function that has not blocked before', () => {
    expect(() => verifyFix(record({ slow: 500 }), record({}), 'none')).toThrow(/blocks in none of those runs/);
  });
});

test('a function without a change is hardly ever called better or gone, however its time varies', () => {
  let seed = 7;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const noisy = (): Recording[] =>
    [0, 1, 2].map(() => record({ slow: 200 + 800 * random(), other: 100 + 400 * random() }, { count: 1 })[0]!);
  const verdicts = Array.from({ length: 200 }, () => verifyFix(noisy(), noisy(), 'slow').verdict);
  const wrong = verdicts.filter((verdict) => verdict === 'better' || verdict === 'gone').length;
  // The test of `compare` permits 5 % on both sides together.
  expect(wrong).toBeLessThanOrEqual(12);
});

test('judges the one of two functions of the same name, in two files of the same name, that was asked for', () => {
  const recordOf = (oneMs: number, otherMs: number): Recording[] =>
    record({}, { count: 4 }).map((recording, run) => {
      const blockIn = (directory: string, ms: number): Block =>
        makeBlock({
          durationMs: ms + run,
          culprit: {
            functionName: 'parse',
            filePath: `/app/src/${directory}/index.js`,
            lineNumber: 1,
            columnNumber: 1,
          },
        });
      return { ...recording, directory: '/app', blocks: [blockIn('one', oneMs), blockIn('other', otherMs)] };
    });
  const before = recordOf(600, 300);
  const [recording] = before;
  const [one, other] = recording!.blocks.map((block) => culpritId({ block, place: recording! }));
  const after = recordOf(300, 300);
  expect(verifyFix(before, after, one).verdict).toBe('better');
  expect(verifyFix(before, after, other).verdict).toBe('same');
});
