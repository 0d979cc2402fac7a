import { describe, expect, test } from '@jest/globals';
import { findCulprit } from '../../../src/blocks/culprit.js';
import type { Segment } from '../../../src/blocks/segments.js';
import { visibleIn } from '../../../src/blocks/visible.js';
import type { Frame } from '../../../src/contract/model.js';
import { builtinFrame, dependencyFrame, frame, nodeFrame, sample, segment } from '../support/builders.js';

const BUNDLE = '/srv/dist/server.mjs';
/** By the name of the function: the upstream source map of the bundle has one source for each. */
const SOURCES: Record<string, string> = {
  importOrders: '/srv/src/orders.ts',
  handle: '/srv/src/routes.ts',
  cloneDeep: '/srv/node_modules/lodash/cloneDeep.js',
  baseClone: 'webpack://shop/./node_modules/lodash/_baseClone.js',
  startSpan: '/srv/node_modules/@opentelemetry/sdk-trace/tracer.js',
  __webpack_require__: 'webpack://shop/webpack/bootstrap',
  getDefault: '\0commonjsHelpers.js',
};

function inBundle(functionName: string, functionColumnNumber: number): Frame {
  return frame(functionName, { fileName: BUNDLE, lineNumber: 1, functionLineNumber: 1, functionColumnNumber });
}

const importOrders = inBundle('importOrders', 100);
const handle = inBundle('handle', 200);
const cloneDeep = inBundle('cloneDeep', 300);
const baseClone = inBundle('baseClone', 400);
const startSpan = inBundle('startSpan', 500);
const bootstrap = inBundle('__webpack_require__', 600);
const virtual = inBundle('getDefault', 700);
const unmapped = inBundle('__require', 800);
const loopTop = [nodeFrame('listOnTimeout'), nodeFrame('processTimers')];

const mapStack = (stack: readonly Frame[]): Frame[] =>
  stack.map((each) => ({ ...each, fileName: SOURCES[each.functionName] ?? each.fileName }));
const shown = (...frames: Frame[]): Segment => {
  const stack = [...frames, ...loopTop];
  return segment(stack, 10, visibleIn(sample(stack), false, mapStack));
};
const three = (...frames: Frame[]): Segment[] => [1, 2, 3].map(() => shown(...frames));
const nameOf = (segments: readonly Segment[]): string | undefined => findCulprit(segments)?.frame.functionName;

describe('a bundle whose source map shows where its functions come from', () => {
  test.each([
    ['a package', cloneDeep],
    ['a package, by a URL', baseClone],
    ["OpenTelemetry's packages", startSpan],
  ])('names the function of the application that calls %s', (_, callee) => {
    const samples = three(callee, importOrders, handle);
    expect(findCulprit(samples)).toMatchObject({ frame: importOrders, segments: samples });
    expect(findCulprit(samples)?.source.fileName).toBe('/srv/src/orders.ts');
  });

  test('gives the frames and samples as they were taken', () => {
    const samples = three(baseClone, cloneDeep, importOrders, handle);
    const culprit = findCulprit(samples);
    expect(culprit?.occurrences.map((occurrence) => occurrence.segment)).toEqual(samples);
    expect(culprit?.occurrences.every((occurrence) => occurrence.frame === importOrders)).toBe(true);
  });

  test('names the function of the application that calls several packages in turn', () => {
    const samples = [cloneDeep, baseClone, startSpan].map((callee) => shown(callee, importOrders));
    expect(nameOf(samples)).toBe('importOrders');
  });

  test.each([
    ['in another source', '/srv/src/orders.ts', 6],
    ['far below in that source', '/srv/src/routes.ts', 20],
  ])('names a callback that begins right behind its dispatcher, and is %s', (_, fileName, functionLineNumber) => {
    const callback = { ...inBundle('', 260), columnNumber: 280 };
    const dispatch = { ...handle, columnNumber: 230 };
    const sourceOf = (frame: Frame): Frame =>
      frame === callback
        ? { ...frame, fileName, functionLineNumber, lineNumber: functionLineNumber + 1 }
        : { ...frame, fileName: '/srv/src/routes.ts', functionLineNumber: 5, lineNumber: 6 };
    const stack = [callback, builtinFrame('Array.forEach'), dispatch];
    const visible = visibleIn(sample(stack), false, (shown) => shown.map(sourceOf));
    expect(findCulprit([segment(stack, 10, visible)])?.frame).toBe(callback);
  });

  test('names a callback whose loop has the place of an entry in the bundle, and another one in its source', () => {
    const callback = { ...inBundle('', 40), columnNumber: 40 + 'function('.length - 1 };
    const dispatch = { ...handle, functionColumnNumber: 60, columnNumber: 80 };
    const sourceOf = (frame: Frame): Frame => ({ ...frame, fileName: '/srv/src/routes.ts', lineNumber: 9 });
    const shownIn = (mapStack: (stack: readonly Frame[]) => readonly Frame[]): Segment =>
      segment([callback, dispatch], 10, visibleIn(sample([callback, dispatch]), false, mapStack));
    expect(findCulprit([shownIn((stack) => stack.map(sourceOf))])?.frame).toBe(callback);
    expect(findCulprit([shownIn((stack) => stack)])?.frame).toBe(dispatch);
  });

  test('names the package where no code of the application calls it', () => {
    expect(nameOf(three(baseClone, cloneDeep))).toBe('baseClone');
  });

  test.each([
    ['webpack', bootstrap],
    ['Rollup', virtual],
    ['esbuild', unmapped],
  ])('names the package where the code of the bundler, such as that of %s, calls it', (_, bundler) => {
    expect(nameOf(three(baseClone, bundler))).toBe('baseClone');
  });

  test('names code of the application that is in no bundle', () => {
    expect(nameOf(three(cloneDeep, frame('main')))).toBe('main');
  });

  test('names the package where the application was on the stack for a small part only', () => {
    const samples = [...three(cloneDeep), ...three(cloneDeep), shown(cloneDeep, importOrders)];
    expect(nameOf(samples)).toBe('cloneDeep');
    // Nor is a package beside the bundle the culprit then.
    expect(nameOf([...samples, shown(dependencyFrame('next'))])).toBe('cloneDeep');
  });
});

describe('unchanged is the culprit', () => {
  test('of the application', () => {
    expect(nameOf(three(importOrders, handle))).toBe('importOrders');
  });

  test('in a package that is in no bundle', () => {
    expect(nameOf(three(dependencyFrame('next'), dependencyFrame('handle')))).toBe('next');
  });

  test('of a bundle without a source map', () => {
    expect(nameOf([segment([cloneDeep, importOrders, ...loopTop])])).toBe('cloneDeep');
  });

  test('of a block without samples', () => {
    expect(findCulprit([])).toBeUndefined();
  });
});
