import { describe, expect, test } from '@jest/globals';

import { frameKind, parseStack } from '../../src/model/stacks/stack.js';

const STACK = `    at createSpans (/app/src/a b/trace-view.js:41:27)
    at new Tree (file:///app/src/tree%20view.mjs:7:1)
    at async Promise.all (index 0)
    at async handle (/app/node_modules/express/lib/router.js:10:5)
    at /app/src/main.js:3:1
    at Array.find (<anonymous>)
    at listOnTimeout (node:internal/timers:594:17)`;

describe('parseStack', () => {
  test('reads names, places and awaits as V8 prints them', () => {
    const frames = parseStack(STACK).map(({ text: _text, ...frame }) => frame);
    expect(frames).toEqual([
      {
        functionName: 'createSpans',
        filePath: '/app/src/a b/trace-view.js',
        lineNumber: 41,
        columnNumber: 27,
        isAwait: false,
      },
      { functionName: 'new Tree', filePath: '/app/src/tree view.mjs', lineNumber: 7, columnNumber: 1, isAwait: false },
      { functionName: 'Promise.all', isAwait: true },
      {
        functionName: 'handle',
        filePath: '/app/node_modules/express/lib/router.js',
        lineNumber: 10,
        columnNumber: 5,
        isAwait: true,
      },
      { functionName: '<anonymous>', filePath: '/app/src/main.js', lineNumber: 3, columnNumber: 1, isAwait: false },
      { functionName: 'Array.find', isAwait: false },
      {
        functionName: 'listOnTimeout',
        filePath: 'node:internal/timers',
        lineNumber: 594,
        columnNumber: 17,
        isAwait: false,
      },
    ]);
  });

  test('ignores lines that are no frames, such as the message of an error', () => {
    expect(parseStack('Error: at the gates\n  somewhere')).toEqual([]);
  });

  test('classifies frames by the origin of their code', () => {
    expect(parseStack(STACK).map(frameKind)).toEqual([
      'application',
      'application',
      'unknown',
      'dependency',
      'application',
      'unknown',
      'node',
    ]);
  });
});
