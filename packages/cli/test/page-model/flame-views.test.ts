import { describe, expect, test } from '@jest/globals';

import { flameGraph, type FlameNode } from '../../src/model/stacks/flame.js';
import { reverseFlame } from '../../src/page/model/flame-reverse.js';
import { matchingFrames } from '../../src/page/model/flame-search.js';
import { makeBlock } from '../support/records.js';

const graph = (profile: string, durationMs: number): FlameNode => flameGraph([makeBlock({ profile, durationMs })]);
const outline = ({ name, value, children }: FlameNode): unknown => [name, Math.round(value), ...children.map(outline)];

describe('reverseFlame', () => {
  test('puts the functions that ran at the top, each with its callers below', () => {
    const reversed = reverseFlame(graph('main;a;parse 30\nmain;b;parse 50\nmain;b 20', 100));
    expect(outline(reversed)).toEqual([
      'all',
      100,
      ['parse', 80, ['b', 50, ['main', 50]], ['a', 30, ['main', 30]]],
      ['b', 20, ['main', 20]],
    ]);
  });

  test('of a graph without stacks is empty', () => {
    expect(outline(reverseFlame(flameGraph([])))).toEqual(['all', 0]);
  });
});

describe('matchingFrames', () => {
  test('count the time of a stack once, however many of its frames match', () => {
    const root = graph('main;scan;scan;inner 60\nmain;other 40', 100);
    const found = (text: string): unknown => matchingFrames(root, text).map(outline);
    expect(found('SCAN')).toEqual([['scan', 60, ['scan', 60, ['inner', 60]]]]);
    expect(matchingFrames(root, 'main').map(({ value }) => Math.round(value))).toEqual([100]);
    expect(found(' ')).toEqual([]);
    expect(found('missing')).toEqual([]);
  });
});
