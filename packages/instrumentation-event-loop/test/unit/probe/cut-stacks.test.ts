import { describe, expect, test } from '@jest/globals';
import { findCulprit } from '../../../src/blocks/culprit.js';
import { withCutCallers } from '../../../src/probe/cut-stacks.js';
import { segmentsOf } from '../../../src/blocks/segments.js';
import { MAX_FRAMES } from '../../../src/contract/frames.js';
import type { Frame, Sample } from '../../../src/contract/model.js';
import { builtinFrame, dependencyFrame, frame, nodeFrame, sampleAt } from '../support/builders.js';

const loopTop = [nodeFrame('listOnTimeout'), nodeFrame('processTimers')];
const build = frame('build');
const minify = dependencyFrame('minify', { functionLineNumber: 5, lineNumber: 7 });
const callers = [minify, build, ...loopTop];

/** A frame of the recursion; the lines differ, because the function calls itself at several places. */
function visit(lineNumber: number): Frame {
  return dependencyFrame('visit', { functionLineNumber: 100, lineNumber });
}

/** A stack of the recursion as the probe captures it. */
function recursion(depth: number, under: readonly Frame[] = callers): readonly Frame[] {
  return [...Array.from({ length: depth }, (_, i) => visit(101 + (i % 7))), ...under].slice(0, MAX_FRAMES);
}

function at(takenAt: number, frames: readonly Frame[], overrides: Partial<Sample> = {}): Sample {
  return sampleAt(takenAt, frames, { asyncId: 7, ...overrides });
}

function framesAfter(samples: readonly Sample[], index = 1): readonly Frame[] {
  return withCutCallers(samples)[index]!.frames;
}

const deep = recursion(300);

describe('a stack that is cut', () => {
  test('gets the callers that the whole stacks before and after it have in common', () => {
    const frames = framesAfter([at(10, recursion(20)), at(20, deep), at(30, recursion(40))]);
    expect(frames).toEqual([...deep, ...callers]);
  });

  test('gets those that it does not show, where it shows some', () => {
    const cut = recursion(MAX_FRAMES - 2);
    const frames = framesAfter([at(10, recursion(20)), at(20, cut), at(30, recursion(40))]);
    expect(frames).toEqual([...cut, ...loopTop]);
  });

  test('gets no caller that was at another place before and after it', () => {
    const later = [minify, frame('build', { lineNumber: 90 }), ...loopTop];
    const frames = framesAfter([at(10, recursion(20)), at(20, deep), at(30, recursion(20, later))]);
    expect(frames).toEqual([...deep, ...loopTop]);
  });

  test('gets none of another callback', () => {
    const samples = [at(10, recursion(20), { asyncId: 6 }), at(20, deep), at(30, recursion(20), { asyncId: 8 })];
    expect(framesAfter(samples)).toBe(deep);
  });

  describe('at the end of the block', () => {
    test('gets the callers of the same recursion before it', () => {
      expect(framesAfter([at(10, recursion(20)), at(20, deep)])).toEqual([...deep, ...callers]);
    });

    test('gets none of other code before it', () => {
      expect(framesAfter([at(10, [dependencyFrame('parse'), ...callers]), at(20, deep)])).toBe(deep);
    });

    test('gets none of other code that calls the same builtin', () => {
      const map = builtinFrame('Array.map');
      const cut = [...deep.slice(1), map];
      expect(framesAfter([at(10, [dependencyFrame('parse'), map, ...callers]), at(20, cut)])).toBe(cut);
    });
  });
});

test('samples without a cut stack are left as they are', () => {
  const samples = [at(10, recursion(20)), at(20, recursion(40))];
  expect(withCutCallers(samples)).toBe(samples);
});

test('the application that calls a deep recursion of a package is the culprit', () => {
  const samples = [20, 300, 400, 30, 500, 600, 700].map((depth, i) => at(100 + i * 10, recursion(depth)));
  const culpritOf = (given: readonly Sample[]): string | undefined =>
    findCulprit(segmentsOf(given, { start: 95, end: 170 }))?.frame.functionName;
  expect(culpritOf(samples)).toBe('visit');
  expect(culpritOf(withCutCallers(samples))).toBe('build');
});
