import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { acceptBlock } from '../../src/model/accept/block.js';
import { acceptLagPoint } from '../../src/model/accept/lag-point.js';
import { acceptInstance, acceptThread } from '../../src/model/accept/process.js';
import { MAX_NAME, MAX_POSITION, MAX_STACK, MAX_TIME_MS } from '../../src/model/rules.js';
import { makeBlock, makeLag } from '../support/records.js';

const NUMBERS_OUT_OF_RANGE = [NaN, Infinity, -Infinity, -1, 2 ** 53, 1e300, '7', null, {}];

describe('a block', () => {
  test('is kept as it is where all of it is valid', () => {
    const block = makeBlock({
      profile: 'main;slow 200',
      stackTrace: '    at slow (/app/src/slow.js:3:5)',
      lines: '3 150\n4 50',
      cpuMs: 190.5,
      pending: ['Socket×2'],
      definedAt: 2,
      victimCount: 2,
      victimSummary: { nameCount: 1, longestMs: 100, nameKind: 'route' },
    });
    expect(acceptBlock(block)).toEqual(block);
  });

  test.each(NUMBERS_OUT_OF_RANGE)('has no start, no length and no line %p', (value) => {
    const number = value as number;
    expect(acceptBlock(makeBlock({ startMs: number }))).toBeUndefined();
    expect(acceptBlock(makeBlock({ durationMs: number }))).toBeUndefined();
    const culprit = { functionName: 'f', filePath: '/a.js', lineNumber: number, columnNumber: number };
    expect(acceptBlock(makeBlock({ culprit, cpuMs: number, definedAt: number }))).toEqual(
      makeBlock({ culprit: { ...culprit, lineNumber: 0, columnNumber: 0 } }),
    );
  });

  test.each([undefined, null, 7, 'block', [], { id: 'b1' }])('is none: %p', (value) => {
    expect(acceptBlock(value)).toBeUndefined();
  });

  test('has names that end with … where they are too long, and no half characters', () => {
    const culprit = { functionName: 'f'.repeat(200_000), filePath: '/a\ud800.js', lineNumber: 1, columnNumber: 1 };
    const block = acceptBlock(makeBlock({ culprit, threadName: 'a\nb\u061c' }));
    expect(block?.culprit?.functionName).toBe(`${'f'.repeat(MAX_NAME - 1)}…`);
    expect(block).toMatchObject({ culprit: { filePath: '/a\ufffd.js' }, threadName: 'a\ufffdb\ufffd' });
  });

  test('has whole lines of a stack only: half a line names another place and another time', () => {
    const line = '    at slow (/app/src/slow.js:123:45)';
    const lines = Array.from({ length: 30_000 }, () => line).join('\n');
    const { stackTrace = '' } = acceptBlock(makeBlock({ stackTrace: lines })) ?? {};
    expect(stackTrace.length).toBeGreaterThan(MAX_STACK - line.length - 2);
    expect(new Set(stackTrace.split('\n'))).toEqual(new Set([line]));
    expect(acceptBlock(makeBlock({ profile: `${'a;'.repeat(MAX_STACK)} 7` }))).not.toHaveProperty('profile');
  });

  test('is within its ranges, whatever it was', () => {
    const anything = fc.oneof(
      fc.anything(),
      fc.double(),
      fc.maxSafeInteger(),
      fc.string({ unit: 'binary', maxLength: 2_000 }),
      fc.constantFrom<unknown>(...NUMBERS_OUT_OF_RANGE),
    );
    const keys = Object.keys(makeBlock({ profile: '', stackTrace: '', lines: '', cpuMs: 1, pending: [], traceId: '' }));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), anything), (changes) => {
        const block = acceptBlock({ ...makeBlock(), ...changes });
        if (!block) return;
        expect(block.startMs >= 0 && block.startMs <= MAX_TIME_MS).toBe(true);
        expect(Number.isFinite(block.durationMs) && block.durationMs >= 0).toBe(true);
        expect(Number.isInteger(block.sampleCount) && Number.isSafeInteger(block.threadId)).toBe(true);
        const { lineNumber = 0 } = block.culprit ?? {};
        expect(lineNumber <= MAX_POSITION).toBe(true);
        expect(JSON.stringify(block).length).toBeLessThan(200_000);
        expect(JSON.stringify(block)).not.toMatch(/\\ud[89a-f]/);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a point of the lag', () => {
  test('is kept as it is where it is valid', () => {
    expect(acceptLagPoint(makeLag({ maxMs: 900 }))).toEqual(makeLag({ maxMs: 900 }));
  });

  test.each([
    ['of no measurement', { counts: [0, 0, 0, 0, 0] }],
    ['with a negative count', { counts: [1, -1, 0, 0, 0] }],
    ['with part of a count', { counts: [1.5, 0, 0, 0, 0] }],
    ['with a count above what sums stay exact for', { counts: [2 ** 53, 0, 0, 0, 0] }],
    ['with fewer counts than buckets', { counts: [1] }],
    ['with bounds that fall', { boundsMs: [1, 10, 5, 1000] }],
    ['with a bound that is infinite', { boundsMs: [1, 10, 100, Infinity] }],
    ['with a bound that is no number', { boundsMs: [1, 10, 100, NaN] }],
    [
      'with a million buckets',
      { counts: new Array<number>(1e6).fill(1), boundsMs: new Array<number>(1e6 - 1).fill(1) },
    ],
    ['that ends before it begins', { startMs: 2_000 }],
    ['of a hundred years', { endMs: 100 * 366 * 86_400_000 }],
    ['without a time', { endMs: NaN }],
  ])('is none %s', (_what, changes) => {
    expect(acceptLagPoint(makeLag(changes))).toBeUndefined();
  });
});

test('an instance and a thread have what is valid of theirs', () => {
  const instance = acceptInstance({ id: 'a\nb', service: 's', label: 'l', pid: -1, version: 'v'.repeat(1_000) });
  expect(instance).toEqual({ id: 'a\ufffdb', service: 's', label: 'l', version: `${'v'.repeat(MAX_NAME - 1)}…` });
  expect(acceptInstance({ id: '', service: 's', label: 'l' })).toBeUndefined();
  expect(acceptThread({ instance: 'i', threadName: 't', utilization: 7, stalledMs: NaN, count: 2 })).toEqual({
    instance: 'i',
    threadName: 't',
    count: 2,
  });
});
