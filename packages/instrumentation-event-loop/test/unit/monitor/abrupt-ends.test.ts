import process from 'node:process';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { prepareAbruptEnds } from '../../../src/monitor/abrupt-ends.js';

const names = ['abort', 'reallyExit'] as const;
const originals = names.map((name) => Object.getOwnPropertyDescriptor(process, name)!);
let calls: unknown[];
let restore: () => void;

beforeEach(() => {
  calls = [];
  for (const name of names) Reflect.set(process, name, (...args: unknown[]) => calls.push([name, ...args]));
  restore = prepareAbruptEnds(() => calls.push('end'));
});

afterEach(() => {
  restore();
  names.forEach((name, i) => Object.defineProperty(process, name, originals[i]!));
});

test.each(names)('process.%s() reports first', (name) => {
  (Reflect.get(process, name) as (code: number) => void)(3);
  expect(calls).toEqual(['end', [name, 3]]);
});

test('the functions are restored, unless other code has wrapped them meanwhile', () => {
  const wrapper = (): undefined => undefined;
  Reflect.set(process, 'abort', wrapper);
  restore();
  expect(Reflect.get(process, 'abort')).toBe(wrapper);
  (Reflect.get(process, 'reallyExit') as () => void)();
  expect(calls).toEqual([['reallyExit']]);
});
