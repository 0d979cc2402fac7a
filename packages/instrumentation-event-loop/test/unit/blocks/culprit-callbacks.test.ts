import { describe, expect, test } from '@jest/globals';
import { findCulprit } from '../../../src/blocks/culprit.js';
import type { Frame } from '../../../src/contract/model.js';
import { builtinFrame, dependencyFrame, entryFrame, frame, segment } from '../support/builders.js';
import { at, loopTop, nameOf } from '../support/culprits.js';

describe('an anonymous callback', () => {
  test('in a nested loop is attributed to its named caller', () => {
    const createSpans = at('createSpans', 5, 12);
    const callback = frame('', { functionLineNumber: 12, functionColumnNumber: 30, lineNumber: 12, columnNumber: 44 });
    const stack = [callback, builtinFrame('Array.find'), createSpans, at('handle', 40), ...loopTop];
    const culprit = findCulprit([segment(stack), segment(stack), segment(stack)]);
    expect(culprit?.frame).toBe(createSpans);
  });

  test('and the loop around it are one culprit, whichever of them is on top', () => {
    const createSpans = at('createSpans', 5, 12);
    const callback = frame('', { functionLineNumber: 12, functionColumnNumber: 30, lineNumber: 12 });
    const inCallback = [callback, builtinFrame('Array.find'), createSpans, at('handle', 40)];
    const inLoop = [createSpans, at('handle', 40)];
    const culprit = findCulprit([segment(inCallback), segment(inLoop), segment(inCallback), segment(inLoop)]);
    expect(culprit?.frame.functionName).toBe('createSpans');
    expect(culprit?.segments).toHaveLength(4);
  });

  test('that has the time is the place of its named caller', () => {
    const summarise = at('summarise', 5, 8);
    const callback = frame('', { functionLineNumber: 9, functionColumnNumber: 14, lineNumber: 12 });
    const stack = [callback, builtinFrame('Array.forEach'), summarise];
    const culprit = findCulprit([segment(stack), segment(stack), segment([summarise])]);
    expect([culprit?.frame, culprit?.place]).toEqual([summarise, callback]);
    const mostlyCaller = findCulprit([segment(stack), segment([summarise]), segment([summarise])]);
    expect([mostlyCaller?.frame, mostlyCaller?.place]).toEqual([summarise, summarise]);
  });

  test('that is called directly and stands below that call is the culprit, and not the dispatcher that calls it', () => {
    const handler = frame('', { functionLineNumber: 31, lineNumber: 33 });
    for (const caller of [at('dispatch', 5, 8), frame('retry', { functionLineNumber: 5, lineNumber: 30 })]) {
      expect(findCulprit([segment([handler, caller])])).toMatchObject({ frame: handler, place: handler });
    }
  });

  test('at its entry, such as a factory of a table, counts for the function that calls it', () => {
    const resolve = at('resolve', 5, 8);
    const stack = [entryFrame(''), resolve];
    const culprit = findCulprit([segment(stack), segment(stack), segment(stack)]);
    expect([culprit?.frame, culprit?.place]).toEqual([resolve, resolve]);
  });

  test('in minified code is the culprit where its loop has the place that its entry may have', () => {
    const minified = { lineNumber: 1, functionLineNumber: 1, functionColumnNumber: 5000 };
    const inLoop = frame('', { ...minified, columnNumber: 5000 + '(e,t)=>{'.length });
    const dispatch = frame('t', { ...minified, functionColumnNumber: 900, columnNumber: 960 });
    expect(findCulprit([segment([inLoop, dispatch])])?.frame).toBe(inLoop);
    const atEntry = { ...inLoop, columnNumber: 5000 };
    expect(findCulprit([segment([atEntry, dispatch])])?.frame).toBe(dispatch);
  });

  test('of an emitter in the same file is the culprit, and not the emitter', () => {
    const emit = at('Bus.emit', 5, 6);
    const call = frame('', { functionLineNumber: 6, functionColumnNumber: 40, lineNumber: 6, columnNumber: 47 });
    const listener = frame('', { functionLineNumber: 13, lineNumber: 15 });
    expect(findCulprit([segment([listener, call, builtinFrame('Array.forEach'), emit])])?.frame).toBe(listener);
  });

  test('that begins before the place where its caller is stands in it: a function is one piece of text', () => {
    const prepare = at('prepare', 5, 10);
    const callback = frame('', { functionLineNumber: 6, functionColumnNumber: 18, lineNumber: 8 });
    expect(findCulprit([segment([callback, prepare])])).toMatchObject({ frame: prepare, place: callback });
    const inOneLine = frame('t', { functionLineNumber: 1, lineNumber: 1, columnNumber: 90 });
    const minified = frame('', { functionLineNumber: 1, functionColumnNumber: 40, lineNumber: 1, columnNumber: 60 });
    expect(findCulprit([segment([minified, inOneLine])])?.frame).toBe(inOneLine);
    const before = frame('t', { functionLineNumber: 1, lineNumber: 1, columnNumber: 20 });
    expect(findCulprit([segment([minified, before])])?.frame).toBe(minified);
  });

  test('within an anonymous callback is attributed to the named function around both', () => {
    const named = at('report', 5, 8);
    const outer = frame('', { functionLineNumber: 8, functionColumnNumber: 20, lineNumber: 9 });
    const inner = frame('', { functionLineNumber: 9, functionColumnNumber: 22, lineNumber: 10 });
    const stack = [inner, builtinFrame('Array.map'), outer, builtinFrame('Array.map'), named];
    expect(nameOf([segment(stack)])).toBe('report');
  });

  test('that a library calls is attributed to the function that contains it', () => {
    const importRows = at('importRows', 5, 20);
    const callback = frame('<anonymous>', { functionLineNumber: 20, functionColumnNumber: 20, lineNumber: 24 });
    const stack = [callback, dependencyFrame('each'), dependencyFrame('forEach'), importRows, at('main', 60)];
    expect(nameOf([segment(stack)])).toBe('importRows');
  });

  test('that a framework calls is not attributed to a middleware below it on the stack', () => {
    const middleware = at('authenticate', 5, 9);
    const handler = frame('', { functionLineNumber: 80, functionColumnNumber: 20, lineNumber: 84 });
    const stack = [
      handler,
      dependencyFrame('Layer.handle'),
      dependencyFrame('next'),
      middleware,
      dependencyFrame('Layer.handle'),
    ];
    expect(findCulprit([segment(stack)])?.frame).toBe(handler);
  });

  test('is not attributed to a caller in another file', () => {
    const other = frame('dispatch', { fileName: '/srv/app/bus.js', functionLineNumber: 1, lineNumber: 80 });
    const handler = frame('', { functionLineNumber: 80, lineNumber: 84 });
    expect(findCulprit([segment([handler, other])])?.frame).toBe(handler);
  });

  test('that a helper of the same file calls is attributed to the function that contains it, not to the helper', () => {
    const withRetry = at('withRetry', 5, 7);
    const importRows = at('importRows', 38, 40);
    const callback = frame('', { functionLineNumber: 40, functionColumnNumber: 20, lineNumber: 44 });
    expect(nameOf([segment([callback, withRetry, importRows])])).toBe('importRows');
  });

  test('in minified code, where functions share a line, is attributed to the one that begins before it', () => {
    const on = (name: string, functionLineNumber: number, functionColumnNumber: number): Frame =>
      frame(name, { functionLineNumber, functionColumnNumber, lineNumber: 9, columnNumber: 900 });
    const later = on('later', 1, 800);
    expect(nameOf([segment([on('', 1, 500), later, on('outer', 1, 100)])])).toBe('outer');
    expect(nameOf([segment([on('', 5, 10), on('outer', 1, 900)])])).toBe('outer');
  });

  test('that a framework calls in the one line of a minified bundle is the culprit, and no function of the framework', () => {
    const on = (name: string, functionColumnNumber: number, columnNumber: number): Frame =>
      frame(name, { functionLineNumber: 1, functionColumnNumber, lineNumber: 1, columnNumber });
    const handler = on('', 90_000, 90_040);
    const framework = [on('handleRequest', 1200, 1260), on('next', 1700, 1790), on('Server.app', 1000, 1050)];
    expect(findCulprit([segment([handler, ...framework])])).toMatchObject({ frame: handler, place: handler });
    const inNextLine = { ...handler, functionLineNumber: 2, lineNumber: 2 };
    expect(findCulprit([segment([inNextLine, ...framework])])?.frame).toBe(inNextLine);
    const callback = on('', 1100, 1140);
    expect(nameOf([segment([callback, builtinFrame('Array.map'), framework[2]!])])).toBe('Server.app');
  });

  test('that begins before its caller is not attributed to it', () => {
    const run = at('run', 60, 65);
    const callback = frame('', { functionLineNumber: 10, functionColumnNumber: 3, lineNumber: 12 });
    expect(findCulprit([segment([callback, run])])?.frame).toBe(callback);
  });

  test('without a named function around it is the culprit itself', () => {
    const callback = frame('', { functionLineNumber: 3, lineNumber: 4 });
    expect(findCulprit([segment([callback, ...loopTop])])?.frame).toBe(callback);
  });

  test('that a Node timer calls is not attributed to another function of the file', () => {
    const callback = frame('Timeout.<anonymous>', { functionLineNumber: 90, lineNumber: 91 });
    expect(findCulprit([segment([callback, ...loopTop, at('start', 1, 20)])])?.frame).toBe(callback);
  });
});

test('a callback in code of eval, where V8 gives it the name eval, is folded into the function around it', () => {
  const inModule = { fileName: 'webpack-internal:///(rsc)/./lib.js' };
  const samples = Array.from({ length: 3 }, () =>
    segment([
      frame('eval', { ...inModule, functionLineNumber: 8, lineNumber: 8 }),
      builtinFrame('Array.sort'),
      frame('work', { ...inModule, functionLineNumber: 5, lineNumber: 8 }),
    ]),
  );
  expect(nameOf(samples)).toBe('work');
});
