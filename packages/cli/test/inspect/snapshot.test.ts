import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { parseSnapshot } from '../../src/cli/inspect/inspector/snapshot.js';

const frame = { functionName: 'f', filePath: '/a.js', lineNumber: 3, columnNumber: 1, isAsync: false };
const parsed = (value: unknown): unknown => parseSnapshot({ result: { value: JSON.stringify(value) } });

test('a snapshot is taken, without what else is in it', () => {
  const snapshot = { pid: 1, frames: [frame], request: { name: 'GET /', ageMs: 2 } };
  expect(parsed({ ...snapshot, other: 1, request: { ...snapshot.request, other: 1 } })).toEqual(snapshot);
});

test.each([
  [undefined],
  [null],
  [{ result: { value: 7 } }],
  [{ result: { value: 'x' } }],
  [{ result: { value: '{}' } }],
  [{ result: { value: '{"frames":7}' } }],
  [{ result: { value: '{"frames":[{}]}' } }],
  [{ result: { value: JSON.stringify({ frames: new Array(100_000).fill(frame) }) } }],
])('an answer that is no snapshot is none (%#)', (answer) => {
  expect(parseSnapshot(answer)).toBeUndefined();
});

test('no value of an answer makes its parser throw', () => {
  const fields = fc.array(fc.tuple(fc.constantFrom('frames', 'pid', 'request', 'idleMs', '__proto__'), fc.jsonValue()));
  const hold = (): void => {
    fc.assert(
      fc.property(fields, (entries) => {
        parsed(Object.fromEntries(entries));
      }),
    );
  };
  expect(hold).not.toThrow();
});
