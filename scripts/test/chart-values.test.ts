import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { undocumented, type Schema } from './support/chart-values.ts';

const chart = path.resolve(import.meta.dirname, '../../deploy/kubernetes/loopwatch');

test('each value of the chart has a comment, which is its description in the schema', () => {
  const schema = JSON.parse(readFileSync(path.join(chart, 'values.schema.json'), 'utf8')) as Schema;
  expect(undocumented(readFileSync(path.join(chart, 'values.yaml'), 'utf8'), schema)).toEqual([]);
});

describe('a value', () => {
  const text = (description?: string): Schema => (description === undefined ? {} : { description });
  const values = '# Whether it runs.\nenabled: true\n\n# Its volume.\nvolume:\n  # In\n  # GiB.\n  size: 1\n';
  const volume = { description: 'Its volume.', properties: { size: text('In GiB.') } };
  const properties = { enabled: text('Whether it runs.'), volume };

  test('with a comment and the same description is accepted, at each level', () => {
    expect(undocumented(values, { properties })).toEqual([]);
  });

  test('has no comment in a paragraph about the file', () => {
    expect(undocumented(`# Values of the chart.\n\n${values}`, { properties })).toEqual([]);
    const withoutOwn = values.replace('# Whether it runs.\n', '');
    expect(undocumented(`# Whether it runs.\n\n${withoutOwn}`, { properties })).toEqual(['enabled: no comment']);
  });

  test.each([
    ['enabled', '# Whether it runs.\n'],
    ['volume', '# Its volume.\n'],
    ['volume.size', '  # In\n  # GiB.\n'],
  ])('without a comment is found: %s', (name, comment) => {
    expect(undocumented(values.replace(comment, ''), { properties })).toEqual([`${name}: no comment`]);
  });

  test.each([
    [undefined, 'no description in the schema'],
    ['In MiB.', 'the description is not the comment'],
  ])('with the description %j is found', (description, problem) => {
    const schema = { properties: { ...properties, volume: { ...volume, properties: { size: text(description) } } } };
    expect(undocumented(values, schema)).toEqual([`volume.size: ${problem}`]);
  });

  test('that the schema does not have is found', () => {
    expect(undocumented(`${values}# More.\nmore: 1\n`, { properties })).toEqual(['more: no description in the schema']);
  });

  test('that only the schema has is found', () => {
    const schema = { properties: { ...properties, more: text('More.') } };
    expect(undocumented(values, schema)).toEqual(['more: in the schema, not in the values']);
  });

  test('of a shared definition has its description there, and no comment in one line', () => {
    const image = { properties: { tag: text('Its tag.'), digest: text() } };
    const schema = { properties: { image: { $ref: '#/$defs/image', description: 'An image.' } }, $defs: { image } };
    expect(undocumented("# An image.\nimage: { tag: '1', digest: '' }\n", schema)).toEqual([
      'image.digest: no description in the schema',
    ]);
  });

  test('of a mapping with any keys needs neither', () => {
    const schema = { properties: { labels: { description: 'Labels.' } } };
    expect(undocumented('# Labels.\nlabels:\n  team: a\n', schema)).toEqual([]);
  });
});
