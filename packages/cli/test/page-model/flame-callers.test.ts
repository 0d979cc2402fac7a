import { describe, expect, test } from '@jest/globals';

import { type FlameNode, flameGraph } from '../../src/model/stacks/flame.js';
import { withoutOuterCallers } from '../../src/page/model/flame-callers.js';
import { makeBlock } from '../support/records.js';

describe('withoutOuterCallers', () => {
  const stacks = [
    '    at mine (/app/mine.js:1:1)',
    '    at framework (/app/node_modules/f/f.js:1:1)',
    '    at server (node:http:1:1)',
  ].join('\n');

  test('removes callers of the application and merges equal frames, without losing time', () => {
    const root = flameGraph([
      makeBlock({
        durationMs: 100,
        profile: 'server;framework;mine;JSON.parse 60\nserver;mine 30\nserver;other 10',
        stackTrace: stacks,
      }),
    ]);
    expect(shape(withoutOuterCallers(root))).toEqual({
      all: 100,
      'all/mine': 90,
      'all/mine/JSON.parse': 60,
      'all/server': 10,
      'all/server/other': 10,
    });
  });

  test('keeps stacks without application code', () => {
    const root = flameGraph([makeBlock({ durationMs: 50, profile: 'server;framework 50', stackTrace: stacks })]);
    expect(withoutOuterCallers(root)).toEqual(root);
  });
});

function shape(node: FlameNode, path = 'all'): Record<string, number> {
  return Object.assign(
    { [path]: Math.round(node.value) },
    ...node.children.map((child) => shape(child, `${path}/${child.name}`)),
  ) as Record<string, number>;
}
