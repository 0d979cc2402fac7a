import { describe, expect, test } from '@jest/globals';

import { type FlameNode, flameGraph, parseFolded, stacksOf } from '../../src/model/stacks/flame.js';
import { makeBlock } from '../support/records.js';

const stackTrace = '    at inner (/app/src/inner.js:4:2)\n    at outer (node:internal/timers:1:1)';

describe('flameGraph', () => {
  test('merges equal callers and adds up their time', () => {
    const root = flameGraph([
      makeBlock({ durationMs: 100, profile: 'outer;inner 60\nouter 40' }),
      makeBlock({ durationMs: 50, profile: 'outer;inner 50' }),
    ]);
    expect(shape(root)).toEqual({ all: 150, 'all/outer': 150, 'all/outer/inner': 110 });
  });

  test('scales few samples to the duration of the block', () => {
    const root = flameGraph([makeBlock({ durationMs: 700, profile: 'a;b 10' })]);
    expect(root.value).toBeCloseTo(700);
    expect(root.children[0]?.children[0]?.value).toBeCloseTo(700);
  });

  test('shows a block without a profile under its culprit', () => {
    expect(shape(flameGraph([makeBlock({ durationMs: 30 })]))).toEqual({ all: 30, 'all/slow': 30 });
  });

  test('takes places and the origin of code from the stack traces', () => {
    const root = flameGraph([makeBlock({ profile: 'outer;inner 10', stackTrace })]);
    const outer = root.children[0];
    expect(outer).toMatchObject({ name: 'outer', kind: 'node' });
    expect(outer?.children[0]).toMatchObject({ name: 'inner', kind: 'application', place: '/app/src/inner.js:4' });
  });
});

describe('parseFolded', () => {
  test('reads names with spaces and ignores malformed lines', () => {
    expect(parseFolded('new Foo;async bar baz 12\nnonsense\n\na 1.5')).toEqual([
      [['new Foo', 'async bar baz'], 12],
      [['a'], 1.5],
    ]);
  });
});

describe('stacksOf', () => {
  test('adds up to the duration of the block', () => {
    const stacks = stacksOf(makeBlock({ durationMs: 123, profile: 'a 1\nb 1\nc 1' }));
    expect(stacks.reduce((total, [, ms]) => total + ms, 0)).toBeCloseTo(123);
  });
});

function shape(node: FlameNode, path = 'all'): Record<string, number> {
  return Object.assign(
    { [path]: Math.round(node.value) },
    ...node.children.map((child) => shape(child, `${path}/${child.name}`)),
  ) as Record<string, number>;
}
