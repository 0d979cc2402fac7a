import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { qualityOf } from '../../../src/blocks/quality.js';
import { findCulprit, mainAsyncResource, mostFrequentStack } from '../../../src/blocks/culprit.js';
import { framesOf } from '../../../src/blocks/visible.js';
import type { Segment } from '../../../src/blocks/segments.js';
import { standsAtEntry } from '../../../src/contract/frames.js';
import {
  builtinFrame,
  dependencyFrame,
  entryFrame,
  frame,
  nodeFrame,
  telemetryFrame,
  segment,
} from '../support/builders.js';
import { at, loopTop, nameOf } from '../support/culprits.js';

describe('no culprit', () => {
  test('is named without samples', () => {
    expect(findCulprit([])).toBeUndefined();
  });

  test('is named when no JavaScript runs', () => {
    expect(findCulprit([segment([]), segment([])])).toBeUndefined();
  });

  test("is named when only V8's own functions are on the stack", () => {
    expect(findCulprit([segment([builtinFrame('Array.sort')])])).toBeUndefined();
  });

  test('is named for a native call at the end of a callback', () => {
    // The stack shows the entry of the next callback, which has done nothing yet, and no caller.
    expect(findCulprit([segment([entryFrame('next')], 300, { isLate: true })])).toBeUndefined();
  });
});

describe('after a native call', () => {
  const caller = at('handleUpload', 5, 20);

  test('the function that is called next is not the culprit', () => {
    expect(nameOf([segment([entryFrame('helper'), caller, ...loopTop], 300, { isLate: true })])).toBe('handleUpload');
  });

  test('a function that is past its entry is the culprit', () => {
    const helper = at('helper', 30);
    expect(nameOf([segment([helper, caller], 300, { isLate: true })])).toBe('helper');
  });

  test('the top frame of an answer in time is the culprit, also at its entry', () => {
    expect(nameOf([segment([entryFrame('helper'), caller], 300)])).toBe('helper');
  });

  test('a loop behind the header of its function, as in minified code, looks like its entry: that function is the culprit', () => {
    const loop = frame('burn', { lineNumber: 5, columnNumber: 1 + 'function *burn'.length });
    expect(standsAtEntry(loop)).toBe(true);
    expect(nameOf(Array.from({ length: 10 }, () => segment([loop, caller], 20)))).toBe('burn');
  });

  test('at the end of a callback, a function of Node that called it is not the culprit', () => {
    expect(findCulprit([segment([entryFrame('next'), ...loopTop], 300, { isLate: true })])).toBeUndefined();
  });

  test('the frames of a late sample leave out the function at its entry', () => {
    const entry = entryFrame('helper');
    expect(framesOf([entry, caller], true)).toEqual([caller]);
    expect(framesOf([entry, dependencyFrame('walk')], true)).toEqual([dependencyFrame('walk')]);
    expect(framesOf([entry, caller], false)).toEqual([entry, caller]);
    expect(framesOf([], true)).toEqual([]);
  });
});

describe('the culprit', () => {
  const app = at('handle', 5);
  const dependency = dependencyFrame('parse');
  const internal = nodeFrame('readFileSync', { fileName: 'node:fs' });

  test('is in the application, also when a library is on top of it', () => {
    expect(nameOf([segment([dependency, dependencyFrame('walk'), app])])).toBe('handle');
  });

  test('is in the application, also when Node is on top of it', () => {
    expect(nameOf([segment([internal, app])])).toBe('handle');
  });

  test('is in a library when no application code is on the stack', () => {
    expect(nameOf([segment([internal, dependency, ...loopTop])])).toBe('parse');
  });

  test('is in Node when nothing else is on the stack', () => {
    expect(nameOf([segment([internal])])).toBe('readFileSync');
  });

  test('is in the application when that is on the stack for half of the time', () => {
    expect(nameOf([segment([app], 50), segment([dependency], 50)])).toBe('handle');
  });

  test('is in a library when the application is on the stack for less than half of the time', () => {
    expect(nameOf([segment([app], 49), segment([dependency], 51)])).toBe('parse');
  });

  test('does not depend on samples without a culprit', () => {
    expect(nameOf([segment([], 1000), segment([builtinFrame('Array.sort')], 1000), segment([app], 10)])).toBe('handle');
  });

  test('is the JavaScript caller of a WebAssembly function', () => {
    const wasm = frame('wasm-function[3]', { fileName: 'wasm://wasm/8f2a', lineNumber: 1 });
    expect(nameOf([segment([wasm, app])])).toBe('handle');
  });

  test('is the caller of a builtin', () => {
    expect(nameOf([segment([builtinFrame('RegExp.test'), app])])).toBe('handle');
  });
});

describe('recursion', () => {
  test('counts a function once per sample, however deep it is', () => {
    const walk = at('walk', 5);
    const leaf = at('visit', 20);
    // `walk` is on the stack for all of the 100 ms; counted for each of its calls it would have 180 ms.
    const culprit = findCulprit([
      segment([leaf, walk, walk, walk, at('main', 50)], 40),
      segment([walk, at('main', 50)], 60),
    ]);
    expect(culprit?.frame.functionName).toBe('walk');
    expect(culprit?.segments).toHaveLength(2);
  });

  test('of two functions that call each other makes one of them the culprit, not their caller', () => {
    const even = at('isEven', 5);
    const odd = at('isOdd', 15);
    const main = at('main', 50);
    const samples = [
      segment([even, odd, even, odd, main]),
      segment([odd, even, odd, main]),
      segment([even, odd, even, odd, even, odd, main]),
    ];
    expect(['isEven', 'isOdd']).toContain(nameOf(samples));
  });
});

describe('the time before the first question', () => {
  const main = at('main', 90);
  const first = at('stringify', 5);
  const second = at('upload', 20);
  const before = 60;

  test('is that of the function that the first sample shows, and of its callers', () => {
    const samples = [segment([first, main], before), segment([second, main], 20), segment([second, main], 20)];
    expect(nameOf(samples)).toBe('stringify');
    expect(nameOf(samples.slice(1))).toBe('upload');
    expect(nameOf([segment([second, main], before), segment([second, main], 50)])).toBe('upload');
  });

  test('makes a function that one answer shows a guess', () => {
    const turns = [first, second, first, second, second].map((called) => segment([called, main], 10));
    const samples = [segment([first, main], before), ...turns.slice(1)];
    const culprit = findCulprit(samples);
    expect(culprit?.frame.functionName).toBe('stringify');
    expect(qualityOf({ segments: samples, culprit })).toEqual({ quality: 'post_native', guess: '2 answers' });
  });

  test('makes the function that it shows the culprit where nothing has half of the time', () => {
    const samples = [segment([first], 45), segment([second], 30), segment([at('third', 40)], 25)];
    expect(nameOf(samples)).toBe('stringify');
  });
});

describe('time split over several functions', () => {
  const buildReport = at('buildReport', 5);
  const main = at('main', 90);

  test('in equal parts makes their common caller the culprit', () => {
    const samples = ['first', 'second', 'third', 'fourth'].map((name, i) =>
      segment([at(name, 20 + 10 * i), buildReport, main]),
    );
    expect(nameOf(samples)).toBe('buildReport');
  });

  test('makes the one with most of the time the culprit', () => {
    const samples = [
      segment([at('first', 20), buildReport, main], 60),
      segment([at('second', 30), buildReport, main], 40),
    ];
    expect(nameOf(samples)).toBe('first');
  });

  test('makes a function with exactly half of the time the culprit, not its caller', () => {
    const samples = [
      ...Array.from({ length: 5 }, () => segment([at('first', 20), buildReport, main], 10)),
      segment([at('second', 30), buildReport, main], 25),
      segment([at('third', 40), buildReport, main], 25),
    ];
    expect(nameOf(samples)).toBe('first');
  });

  describe('of which one answer stands for more than half', () => {
    const others = [segment([at('second', 30), buildReport, main], 10), segment([at('third', 40), buildReport], 10)];
    const first = [at('first', 20), buildReport, main];

    test('makes that function the culprit: its quality says that it is a guess', () => {
      expect(nameOf([segment(first, 60), ...others])).toBe('first');
      expect(nameOf([segment(first, 60, { isLate: true }), ...others])).toBe('first');
    });
  });

  describe('in which most answers came after a collection', () => {
    const answers = (count: number, name: string, line: number): Segment[] =>
      Array.from({ length: count }, () => segment([at(name, line), buildReport, main], 10, { collectedMs: 80 }));

    test.each([
      ['buildReport', 6, 'a small function that it calls often answers for less than two thirds'],
      ['asString', 7, 'that function answers for two thirds and more'],
    ])('makes %s the culprit: of ten answers, with %i of them, %s', (culprit, count) => {
      expect(nameOf([...answers(count, 'asString', 20), ...answers(10 - count, 'asNumber', 40)])).toBe(culprit);
    });

    test('makes the longest function the culprit where none has two thirds', () => {
      const handlers = ['first', 'second'].flatMap((name, i) =>
        Array.from({ length: 5 - i }, () => segment([at(name, 20 + 20 * i), ...loopTop], 10, { collectedMs: 80 })),
      );
      expect(nameOf(handlers)).toBe('first');
    });
  });

  test('without a common caller makes the function with most of the time the culprit', () => {
    const handlers = Array.from({ length: 10 }, (_, i) =>
      segment([at(`handler${i}`, 10 + 10 * i), ...loopTop], i === 6 ? 40 : 30),
    );
    expect(nameOf(handlers)).toBe('handler6');
  });

  test('of which none has half makes the longest stage the culprit, not the small function that is most often on top', () => {
    const build = at('build', 5);
    const samples = [
      segment([at('first', 20), build], 15),
      segment([at('second', 30), build], 15),
      segment([at('third', 40), build], 15),
      segment([at('resolve', 50)], 25),
      segment([at('write', 60)], 30),
    ];
    expect(nameOf(samples)).toBe('build');
  });

  test('of which none has half makes the deepest function of the longest stage the culprit', () => {
    const build = at('build', 5);
    const samples = [
      segment([at('parse', 20), build, main], 42),
      segment([build, main], 3),
      segment([at('resolve', 50)], 25),
      segment([at('write', 60)], 30),
    ];
    expect(nameOf(samples)).toBe('parse');
  });
});

describe('the place in the culprit', () => {
  test('is the line with most of its time', () => {
    const slow = at('work', 5, 14);
    const samples = [segment([at('work', 5, 9)], 20), segment([slow], 30), segment([at('work', 5, 14)], 25)];
    expect(findCulprit(samples)?.frame).toBe(slow);
  });

  test('comes with its most frequent stack', () => {
    const work = at('work', 5, 14);
    const often = [work, at('viaQueue', 40)];
    const seldom = [work, at('viaTimer', 60)];
    const samples = [segment(seldom, 30), segment(often, 40), segment(often, 20), segment([nodeFrame('idle')], 5)];
    const culprit = findCulprit(samples);
    expect(mostFrequentStack(culprit!.segments)).toBe(often);
    expect(culprit?.segments).toHaveLength(3);
  });
});

describe('the most frequent stack', () => {
  test('is empty without frames', () => {
    expect(mostFrequentStack([])).toEqual([]);
    expect(mostFrequentStack([segment([])])).toEqual([]);
  });

  test('is found by functions and not by lines, by time and not by the number of samples', () => {
    const deep = [at('a', 5, 9), at('b', 20)];
    const same = [at('a', 5, 11), at('b', 20)];
    const other = [at('c', 40)];
    const samples = [segment(deep, 30), segment(same, 40), ...[1, 2, 3, 4, 5].map(() => segment(other, 10))];
    expect(mostFrequentStack(samples)).toBe(same);
  });
});

describe('for any samples', () => {
  const anyFrame = fc
    .tuple(
      fc.constantFrom('a', 'b', 'c', '', '<anonymous>'),
      fc.constantFrom(0, 1, 2, 3, 4),
      fc.integer({ min: 1, max: 9 }),
    )
    .map(([name, kind, line]) =>
      [frame, dependencyFrame, telemetryFrame, nodeFrame, builtinFrame][kind]!(name, {
        functionLineNumber: line,
        lineNumber: line + 1,
      }),
    );
  const anySamples = fc.array(
    fc
      .tuple(fc.array(anyFrame, { maxLength: 8 }), fc.integer({ min: 0, max: 500 }), fc.boolean())
      .map(([frames, ms, isLate]) => segment(frames, ms, { isLate })),
    { maxLength: 12 },
  );

  test('the culprit is a frame of one of its samples, and its stack is the stack of one of them', () => {
    fc.assert(
      fc.property(anySamples, (samples) => {
        const culprit = findCulprit(samples);
        if (!culprit) return;
        expect(culprit.segments.some((of) => of.frames.includes(culprit.frame))).toBe(true);
        const stack = mostFrequentStack(culprit.segments);
        expect(culprit.segments.map((of) => [...of.frames])).toContainEqual([...stack]);
        expect(samples).toEqual(expect.arrayContaining([...culprit.segments]));
      }),
    );
  });

  test('the order of the samples does not decide whether there is a culprit', () => {
    const timeOf = (samples: readonly Segment[]): number =>
      findCulprit(samples)?.segments.reduce((sum, { ms }) => sum + ms, 0) ?? -1;
    fc.assert(
      fc.property(anySamples, (samples) => {
        // Where two have the same time, either may be the culprit.
        const total = samples.reduce((sum, of) => (of.frames.length > 0 ? sum + of.ms : sum), 0);
        const [forwards, backwards] = [timeOf(samples), timeOf([...samples].reverse())];
        expect(forwards === -1).toBe(backwards === -1);
        expect(Math.max(forwards, backwards)).toBeLessThanOrEqual(total);
      }),
    );
  });
});

describe('the asynchronous resource', () => {
  test('is the one with most of the time', () => {
    const of = (asyncResource: string, ms: number): Segment => segment([], ms, {}, { asyncResource });
    expect(mainAsyncResource([of('Timeout', 30), of('TCPWRAP', 50), of('Timeout', 30)])).toBe('Timeout');
  });

  test('is empty without samples', () => {
    expect(mainAsyncResource([])).toBe('');
  });
});
