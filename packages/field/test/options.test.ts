import { expect, test } from '@jest/globals';

import { catalogue } from '../src/catalogue/catalogue.ts';
import { help, parseOptions } from '../src/options.ts';

test('without arguments all programs run, on two Node majors, and nothing is written', () => {
  expect(parseOptions([])).toMatchObject({ programs: catalogue, nodeMajors: [20, 24], write: false });
});

test('lists choose programs, majors and modes', () => {
  const options = parseOptions(['--programs', 'koa,jest', '--node', '22', '--modes', 'run']);
  expect(options).toMatchObject({ programs: [{ name: 'koa' }, { name: 'jest' }], nodeMajors: [22], modes: ['run'] });
});

test('what is wrong is an error with the expected values, and the help names every program', () => {
  expect(() => parseOptions(['--node', '18'])).toThrow('Expected --node among 20, 22, 24, 26, got "18".');
  for (const { name } of catalogue) expect(help).toContain(name);
});

test('the catalogue has at least 20 programs, each once', () => {
  const names = catalogue.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(20);
  expect(new Set(names).size).toBe(names.length);
});
