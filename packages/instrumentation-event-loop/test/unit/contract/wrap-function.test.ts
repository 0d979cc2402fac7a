import { expect, test } from '@jest/globals';
import { wrapFunction } from '../../../src/contract/wrap-function.js';

type Add = (this: { step: number }, times: number, to: number) => number;

function holder(): { step: number; add: Add } {
  return {
    step: 2,
    add(times, to) {
      return to + times * this.step;
    },
  };
}
const double = (original: Add): Add =>
  function (...args) {
    return 2 * original.apply(this, args);
  };

test('a wrapper looks like the function that it calls', () => {
  const target = holder();
  wrapFunction<Add>(target, 'add', double);
  expect([target.add.name, target.add.length, target.add(3, 1)]).toEqual(['add', 2, 14]);
});

test('it is removed, unless other code has wrapped it meanwhile', () => {
  const target = holder();
  const { add } = target;
  wrapFunction<Add>(target, 'add', double)();
  expect(target.add).toBe(add);
  const remove = wrapFunction<Add>(target, 'add', double);
  const others = double(target.add);
  target.add = others;
  remove();
  expect(target.add).toBe(others);
});

test('of a frozen object, nothing is replaced, and what is no function stays', () => {
  const frozen = Object.freeze(holder());
  const { add } = frozen;
  wrapFunction<Add>(frozen, 'add', double)();
  expect(frozen.add).toBe(add);
  const target = { add: 5 };
  wrapFunction(target, 'add', double)();
  expect(target).toEqual({ add: 5 });
});

test('a function whose properties throw is wrapped', () => {
  const target = holder();
  const refuse = (): never => {
    throw new Error('hostile');
  };
  target.add = new Proxy(target.add, { getOwnPropertyDescriptor: refuse, get: refuse });
  wrapFunction<Add>(target, 'add', () => () => 7);
  expect(target.add(1, 1)).toBe(7);
});
