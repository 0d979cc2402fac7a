import { describe, expect, test } from '@jest/globals';

import { changeLevel, signedMs, signedShare } from '../../src/model/compare/change.js';
import { comparedFlames } from '../../src/model/compare/compared-flame.js';
import { type ComparedRecording, compareRecordings } from '../../src/model/compare/comparison.js';
import { type DifferenceNode, flameDifference, type SizedBy } from '../../src/model/compare/flame-difference.js';
import { makeBlock, makeComparedRecording } from '../support/records.js';

type BlockFields = Parameters<typeof makeBlock>[0];

function makeRecording(blocks: readonly BlockFields[], overrides: Partial<ComparedRecording> = {}): ComparedRecording {
  return makeComparedRecording(
    blocks.map((fields, index) => makeBlock({ id: `b${index}`, ...fields })),
    overrides,
  );
}

function differenceOf(
  base: readonly ComparedRecording[],
  head: readonly ComparedRecording[],
  sizedBy: SizedBy = 'head',
): DifferenceNode {
  const { thresholdMs } = compareRecordings(base, head);
  return flameDifference(comparedFlames(base, head, thresholdMs), sizedBy);
}

/** `main/a (a.js:1)`: [ms of a run before, after] */
function shape(node: DifferenceNode, path = 'all'): Record<string, [number, number]> {
  const label = ({ name, place }: DifferenceNode): string => (place === undefined ? name : `${name} (${place})`);
  return Object.assign(
    { [path]: [Math.round(node.baseMs), Math.round(node.headMs)] },
    ...node.children.map((child) => shape(child, `${path}/${label(child)}`)),
  ) as Record<string, [number, number]>;
}

const runs = (count: number, blocks: readonly BlockFields[]): ComparedRecording[] =>
  Array.from({ length: count }, () => makeRecording(blocks));

describe('the times of the frames', () => {
  test('are means of a run: 5 recordings compare with 3 of the same build without a difference', () => {
    const blocks = [{ durationMs: 300, profile: 'main;parse 200\nmain 100' }];
    const root = differenceOf(runs(5, blocks), runs(3, blocks));
    expect(shape(root)).toEqual({ all: [300, 300], 'all/main': [300, 300], 'all/main/parse': [200, 200] });
  });

  test('of a run without blocks count as 0', () => {
    const root = differenceOf([makeRecording([])], [...runs(1, [{ durationMs: 300 }]), ...runs(2, [])]);
    expect(shape(root)['all']).toEqual([0, 100]);
  });

  test('add up to those of the table: without waiting for CPU, and above the highest threshold', () => {
    const base = [
      makeRecording([
        { durationMs: 400, runQueueMs: 100, profile: 'main;a 4' },
        { durationMs: 120, profile: 'main;short 1' },
      ]),
      makeRecording([{ durationMs: 200, profile: 'main;a 1\nmain;b 1' }]),
    ];
    const head = [makeRecording([{ durationMs: 500, runQueueMs: 250, profile: 'main;a 7' }], { thresholdMs: 150 })];
    const { culprits } = compareRecordings(base, head);
    const { baseMs, headMs } = differenceOf(base, head);
    expect(baseMs).toBeCloseTo(culprits.reduce((total, culprit) => total + culprit.base.meanMs, 0));
    expect(headMs).toBeCloseTo(culprits.reduce((total, culprit) => total + culprit.head.meanMs, 0));
    expect([baseMs, headMs]).toEqual([250, 250]);
  });

  test('are 0 on the side that lacks the frame, in whatever order the widths are', () => {
    const base = runs(2, [{ durationMs: 300, profile: 'main;old 200\nmain;both 100' }]);
    const head = runs(1, [{ durationMs: 300, profile: 'main;new 200\nmain;both 100' }]);
    const expected = {
      all: [300, 300],
      'all/main': [300, 300],
      'all/main/new': [0, 200],
      'all/main/old': [200, 0],
      'all/main/both': [100, 100],
    };
    const [byHead, byBase] = [differenceOf(base, head), differenceOf(base, head, 'base')];
    expect(shape(byHead)).toEqual(expected);
    expect(shape(byBase)).toEqual(expected);
    const widths = (root: DifferenceNode): string[] =>
      root.children[0]!.children.map(({ name, value }) => `${name} ${Math.round(value)}`);
    expect(widths(byHead)).toEqual(['new 200', 'old 0', 'both 100']);
    expect(widths(byBase)).toEqual(['new 0', 'old 200', 'both 100']);
  });
});

describe('a frame', () => {
  const traceOf = (directory: string, line: number): string =>
    `    at f (${directory}/src/f.js:${line}:1)\n    at main (${directory}/main.js:1:1)`;

  test('is the same in another checkout and on another line, with the line of the new build', () => {
    const recordingIn = (directory: string, line: number): ComparedRecording =>
      makeRecording([{ profile: 'main;f 1', stackTrace: traceOf(directory, line) }], { directory });
    expect(shape(differenceOf([recordingIn('/app', 3)], [recordingIn('/other', 90)]))).toEqual({
      all: [200, 200],
      'all/main (main.js:1)': [200, 200],
      'all/main (main.js:1)/f (src/f.js:90)': [200, 200],
    });
  });

  test('is another one in another file', () => {
    const blockIn = (file: string): BlockFields => ({
      culprit: { functionName: 'handler', filePath: file, lineNumber: 7, columnNumber: 1 },
      profile: 'main;handler 1',
    });
    const root = differenceOf(
      [makeRecording([blockIn('/app/a.js')])],
      [makeRecording([blockIn('/app/a.js'), blockIn('/app/b.js')])],
    );
    expect(shape(root)).toMatchObject({
      'all/main/handler (a.js:7)': [200, 200],
      'all/main/handler (b.js:7)': [0, 200],
    });
  });

  test('has its file where only blocks of the other build name it', () => {
    const traced = { profile: 'main;f 1', stackTrace: traceOf('/app', 3) };
    const root = differenceOf([makeRecording([traced])], [makeRecording([{ profile: 'main;f 1' }])]);
    expect(shape(root)).toMatchObject({ 'all/main (main.js:1)/f (src/f.js:3)': [200, 200] });
  });

  test('without a name is the same on another line', () => {
    const root = differenceOf(
      [makeRecording([{ profile: 'main;<anonymous a.js:10> 1' }])],
      [makeRecording([{ profile: 'main;<anonymous a.js:14:1782> 1' }])],
    );
    expect(shape(root)).toMatchObject({ 'all/main/<anonymous a.js>': [200, 200] });
  });
});

describe('the words and colours of a change', () => {
  test.each([
    [200, 205, 'same', '+5.0 ms', '+2.5 %'],
    [3, 12, 'same', '+9.0 ms', '+300 %'],
    [200, 260, 'more-1', '+60.0 ms', '+30 %'],
    [200, 500, 'more-2', '+300 ms', '+150 %'],
    [100, 900, 'more-3', '+800 ms', '+800 %'],
    [0, 120, 'more-3', '+120 ms', 'only after'],
    [260, 200, 'less-1', '−60.0 ms', '−23 %'],
    [500, 200, 'less-2', '−300 ms', '−60 %'],
    [900, 100, 'less-3', '−800 ms', '−89 %'],
    [120, 0, 'less-3', '−120 ms', 'only before'],
    [0, 0, 'same', '0 µs', '0.0 %'],
  ])('from %d ms to %d ms are %s, %s, %s', (baseMs, headMs, level, ms, share) => {
    const times = { baseMs, headMs };
    expect([changeLevel(times), signedMs(times), signedShare(times)]).toEqual([level, ms, share]);
  });
});
