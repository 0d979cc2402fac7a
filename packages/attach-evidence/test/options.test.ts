import { expect, test } from '@jest/globals';

import { parseOptions } from '../src/options.ts';

test('without options, all parts but the comparison run on all majors', () => {
  expect(parseOptions([])).toEqual({
    parts: ['stress', 'hangs', 'throughput', 'latency', 'cost'],
    nodeMajors: [20, 22, 24, 26],
    detective: undefined,
    write: false,
  });
});

test('an unknown part is an error that names the known ones', () => {
  expect(() => parseOptions(['--parts', 'speed'])).toThrow(
    'Expected --parts among stress, hangs, throughput, latency, cost, compare, got "speed".',
  );
});

test('the comparison needs the other tool', () => {
  expect(() => parseOptions(['--parts', 'compare'])).toThrow('Expected --detective for the part compare, got none.');
});
