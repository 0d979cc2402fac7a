import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { standsAtEntry } from '../../../src/contract/frames.js';
import { stackCapture } from '../../../src/probe/stack-capture.js';
import type { Frame } from '../../../src/contract/model.js';
import { Interrupter } from '../support/interrupter.js';

/** `call` follows the uninterruptible call. */
const FUNCTIONS: readonly (readonly [form: string, definition: string, call: string])[] = [
  ['function-declaration', 'function work(x) { return x; }', 'work(1)'],
  ['function-with-space', 'function work (x) { return x; }', 'work(1)'],
  ['function-expression', 'const o = { work: function (x) { return x; } };', 'o.work(1)'],
  ['named-function-expression', 'const g = function work(x) { return x; };', 'g(1)'],
  ['anonymous-function', 'const list = [function(x) { return x; }];', 'list[0](1)'],
  ['anonymous-async-function', 'const list = [async function (x) { return x; }];', 'list[0](1)'],
  ['anonymous-generator', 'const list = [function* (x) { yield x; }];', 'list[0](1)'],
  ['anonymous-async-arrow-function', 'const list = [async (x) => x];', 'list[0](1)'],
  ['several-lines-of-parameters', 'function work(\n  x,\n  y,\n) { return x; }', 'work(1)'],
  ['default-parameter', 'function work(x = {}) { return x; }', 'work()'],
  ['arrow-function', 'const work = (x) => { return x; };', 'work(1)'],
  ['arrow-function-without-parentheses', 'const work = x => x + 1;', 'work(1)'],
  ['async-arrow-function', 'const work = async (x) => x;', 'work(1)'],
  ['async-function', 'async function work(x) { return x; }', 'work(1)'],
  ['async-function-expression', 'const list = [async function (x) { return x; }];', 'list[0](1)'],
  ['generator', 'function* work(x) { yield x; }', 'work(1)'],
  ['generator-with-the-star-at-its-name', 'function *work(x) { yield x; }', 'work(1)'],
  ['generator-without-a-space', 'function*work(x) { yield x; }', 'work(1)'],
  ['async-generator', 'async function* work(x) { yield x; }', 'work(1)'],
  ['method', 'const o = { work(x) { return x; } };', 'o.work(1)'],
  ['async-method', 'const o = { async work(x) { return x; } };', 'o.work(1)'],
  ['generator-method', 'const o = { *work(x) { yield x; } };', 'o.work(1)'],
  ['async-generator-method', 'const o = { async *work(x) { yield x; } };', 'o.work(1)'],
  ['getter', 'const o = { get work() { return 1; } };', 'o.work'],
  ['setter', 'const o = { set work(x) {} };', 'o.work = 1'],
  ['constructor', 'class Work { constructor(x) { this.x = x; } }', 'new Work(1)'],
  ['constructor-of-a-derived-class', 'class B {} class Work extends B { constructor() { super(); } }', 'new Work()'],
  ['class-field', 'class Work { x = 1; }', 'new Work()'],
  ['class-method', 'class W { work(x) { return x; } } const w = new W();', 'w.work(1)'],
  ['static-method', 'class W { static work(x) { return x; } }', 'W.work(1)'],
  ['static-async-method', 'class W { static async work(x) { return x; } }', 'W.work(1)'],
  ['class-getter', 'class W { get work() { return 1; } } const w = new W();', 'w.work'],
  [
    'private-method',
    'class W { #work(x) { return x; } go() { go(); JSON.parse(text); this.#work(1); } } const w = new W();',
    'w.go()',
  ],
  ['method-with-a-quoted-name', "const o = { 'work it'(x) { return x; } };", "o['work it'](1)"],
  ['iterator-method', 'const o = { *[Symbol.iterator]() { yield 1; } };', 'o[Symbol.iterator]()'],
];

let interrupter: Interrupter;

beforeAll(async () => {
  interrupter = await Interrupter.start();
});

afterAll(async () => {
  await interrupter.end();
});

test.each(FUNCTIONS)(
  'an interrupt in a native call is answered at the entry of the next function: %s',
  (form, definition, call) => {
    const native = form === 'private-method' ? '' : 'go(); JSON.parse(text);';
    const top = interrupter.topFrameAfter(form, `${definition}\n${native} ${call};`);
    expect({ ...top, standsAtEntry: standsAtEntry(top) }).toMatchObject({ standsAtEntry: true });
  },
);

test.each([
  ['a function', 'function work() {\n  return capture(none);\n}', 'work()'],
  ['a function in one line', 'function work(first, second) { return capture(none); }', 'work()'],
  ['a method', 'const o = {\n  work(list) {\n    return capture(none);\n  },\n};', 'o.work()'],
  ['an async method in one line', 'const o = { async work(first, second) { frames(capture(none)); } };', 'o.work()'],
  ['an arrow function', 'const work = (list) =>\n  capture(none);', 'work()'],
  ['a constructor', 'class Work {\n  constructor() {\n    frames(capture(none));\n  }\n}', 'new Work()'],
  ['a getter', 'const o = {\n  get work() {\n    return capture(none);\n  },\n};', 'o.work'],
])('a frame in the body of %s is not at its entry', (_, definition, call) => {
  let seen: readonly Frame[] = [];
  const none = (): undefined => undefined;
  const frames = (captured: readonly Frame[]): void => {
    seen = captured;
  };
  const capture = stackCapture();
  // It cuts itself off the stack: the top frame is its caller.
  const captureHere = (): readonly Frame[] => capture(captureHere);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the exact source text is the subject
  const program = new Function('capture', 'none', 'frames', `${definition}\nconst got = ${call};\nreturn got;`) as (
    ...args: unknown[]
  ) => unknown;
  const got = program(captureHere, none, frames);
  const [top] = Array.isArray(got) ? (got as Frame[]) : seen;
  expect(top?.functionName).toMatch(/ork$/);
  expect(standsAtEntry(top!)).toBe(false);
});
