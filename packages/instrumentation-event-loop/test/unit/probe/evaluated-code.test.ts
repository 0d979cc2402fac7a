import vm from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import type { CapturedFrame } from '../../../src/probe/evaluated-code.js';
import { placeEvaluated } from '../../../src/probe/evaluated-code.js';
import { stackCapture } from '../../../src/probe/stack-capture.js';
import { standsAtEntry } from '../../../src/contract/frames.js';
import type { Frame } from '../../../src/contract/model.js';
import { builtinFrame, frame } from '../support/builders.js';

const capture = stackCapture();

function here(): readonly CapturedFrame[] {
  return capture(here);
}

/** The placed frames of a script with the name of a file; `here` in it captures the stack. */
function run(script: string, filename = '/srv/app/worker.js'): readonly Frame[] {
  const call = vm.runInThisContext(`(function load(here) {\n${script}\n})`, { filename }) as (
    from: typeof here,
  ) => readonly CapturedFrame[];
  return call(here).map(placeEvaluated);
}

describe('a function that was evaluated as text', () => {
  test('has the place of the call that evaluated it', () => {
    const [placed] = run(`return new Function('here', 'return (function countPrimes() { return here(); })()')(here);`);
    expect(placed).toMatchObject({ functionName: 'countPrimes', fileName: '/srv/app/worker.js', lineNumber: 2 });
  });

  test('has it also where evaluated code evaluates it', () => {
    const [placed] = run(`return eval('\\n\\neval("(function inner() { return here(); })()")');`);
    expect(placed).toMatchObject({ functionName: 'inner', fileName: '/srv/app/worker.js', lineNumber: 2 });
  });

  test('has it in a file whose path contains parentheses', () => {
    const [placed] = run(`return eval('(function rule() { return here(); })()');`, '/srv/app (old)/rules (1).js');
    expect(placed).toMatchObject({ functionName: 'rule', fileName: '/srv/app (old)/rules (1).js', lineNumber: 2 });
  });

  test('differs from another of the same text by where it begins', () => {
    const [, second, first] = run(
      `return eval('function first() { return second(); }\\nfunction second() { return [here()][0]; }\\nfirst()');`,
    ).toSpliced(0, 0, frame('padding'));
    expect([second!.functionLineNumber, first!.functionLineNumber]).toEqual([2, 1]);
  });

  test('has none where it has no name but that of the evaluation, also with the type of its receiver', () => {
    const [placed] = run(`
      class Hook {}
      const hook = new Hook();
      hook.call = new Function('here', 'return here();');
      return hook.call(here);`);
    expect(placed).toMatchObject({ functionName: 'Hook.eval', fileName: '' });
  });

  test('keeps its own name where the text names its file', () => {
    const [placed] = run(`return eval('(function rule() { return here(); })()\\n//# sourceURL=rule.js');`);
    expect(placed).toMatchObject({ functionName: 'rule', fileName: 'rule.js', lineNumber: 1 });
  });

  test('stands at its entry where it stood there in its text', () => {
    const text: CapturedFrame = {
      ...frame('rule', { fileName: '', lineNumber: 3, columnNumber: 14, functionLineNumber: 3 }),
      evaluatedAt: 'eval at load (/srv/app/rules.js:40:5)',
    };
    expect(standsAtEntry(placeEvaluated(text))).toBe(true);
    expect(standsAtEntry(placeEvaluated({ ...text, lineNumber: 4 }))).toBe(false);
  });
});

describe('no place is given to', () => {
  test.each(['eval', 'anonymous', ''])('evaluated code without a name: "%s"', (functionName) => {
    const code = { ...builtinFrame(functionName), evaluatedAt: 'eval at load (/srv/app/rules.js:40:5)' };
    expect(placeEvaluated(code).fileName).toBe('');
  });

  test('a builtin', () => {
    const sort = builtinFrame('Array.sort');
    expect(placeEvaluated(sort)).toBe(sort);
  });

  test('code of which V8 does not know where it was evaluated', () => {
    const code = { ...builtinFrame('rule'), evaluatedAt: 'eval at <anonymous> (unknown)' };
    expect(placeEvaluated(code).fileName).toBe('');
  });
});
