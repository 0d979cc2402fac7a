import module from 'node:module';
import { afterEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { mapStack } from '../../../src/monitor/source-map.js';
import { blockInfo } from '../../../src/export/block-info.js';
import { attribution, block, frame } from '../support/builders.js';

afterEach(() => {
  jest.restoreAllMocks();
});

const mappings = fc.stringMatching(/^[A-Za-z0-9+/,;]{0,60}$/);
const texts = fc.array(fc.oneof(fc.string(), fc.constantFrom('../src/a.ts', 'file:///%', 'file:///a.ts', '')), {
  maxLength: 4,
});
// `sources` and `names` are lists, `mappings` is a text: over other values Node itself can run out of memory.
const sourceMap = fc.record(
  {
    version: fc.oneof(fc.constant(3), fc.anything()),
    sources: fc.oneof(texts, fc.array(fc.anything(), { maxLength: 4 })),
    names: fc.oneof(texts, fc.array(fc.anything(), { maxLength: 4 })),
    mappings,
    sourceRoot: fc.oneof(fc.string(), fc.constant(undefined)),
  },
  { requiredKeys: ['mappings', 'sources', 'names'] },
);
const position = fc.integer({ min: 0, max: 40 });
const frames = fc.array(
  fc.record({
    functionName: fc.oneof(fc.string(), fc.constantFrom('', 'a', 'b.c')),
    fileName: fc.oneof(fc.string(), fc.constantFrom('/srv/app/out.js', 'file:///srv/app/out.js', 'node:fs')),
    lineNumber: position,
    columnNumber: position,
    functionLineNumber: position,
    functionColumnNumber: position,
  }),
  { maxLength: 5 },
);

test('any source map keeps every frame, in its order', () => {
  let current: module.SourceMap | undefined;
  jest.spyOn(module, 'findSourceMap').mockImplementation(() => current);
  let mapped = 0;
  fc.assert(
    fc.property(sourceMap, frames, (payload, shapes) => {
      current = parse(payload);
      const stack = shapes.map((shape) => frame(shape.functionName, shape));
      const mappedStack = mapStack(stack);
      expect(mappedStack).toHaveLength(stack.length);
      for (const [i, { functionName, fileName, lineNumber, columnNumber }] of mappedStack.entries()) {
        expect([typeof functionName, typeof fileName]).toEqual(['string', 'string']);
        expect(Number.isSafeInteger(lineNumber) && lineNumber >= 0).toBe(true);
        expect(Number.isSafeInteger(columnNumber) && columnNumber >= 0).toBe(true);
        if (fileName !== stack[i]?.fileName) mapped++;
      }
      const culprit = mappedStack[0];
      expect(() =>
        blockInfo(block({ attribution: attribution({ culprit, stack: mappedStack }) }), true, 0),
      ).not.toThrow();
    }),
    { numRuns: 1000 },
  );
  expect(mapped).toBeGreaterThan(100);
});

/** As Node reads it; undefined where Node refuses it. */
function parse(payload: unknown): module.SourceMap | undefined {
  try {
    return new module.SourceMap(payload as module.SourceMapPayload);
  } catch {
    return undefined;
  }
}
