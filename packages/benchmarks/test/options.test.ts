import { describe, expect, test } from '@jest/globals';

import { help, parseOptions } from '../src/options.ts';

describe('parseOptions', () => {
  test('parses lists, and adds the baseline and the control to the peers', () => {
    const options = parseOptions([
      '--node',
      '20,22',
      '--peers',
      'blocked',
      '--servers',
      'graphql',
      '--parts',
      'load',
      '--threads',
      '1,256',
    ]);
    expect(options).toMatchObject({ nodeMajors: [20, 22], parts: ['load'], servers: [{ name: 'graphql' }] });
    expect(options).toHaveProperty('threads.counts', [1, 256]);
    expect(options).toHaveProperty(
      'peers',
      ['none', 'sdk', 'blocked'].map((name) => expect.objectContaining({ name })),
    );
  });

  test('some parts can be written alone', () => {
    expect(parseOptions(['--write', '--parts', 'saturated,idle'])).toMatchObject({
      write: true,
      parts: ['saturated', 'idle'],
    });
  });

  test('throws errors that name the expected values', () => {
    expect(() => parseOptions(['--peers', 'bloked'])).toThrow('got "bloked"');
    expect(() => parseOptions(['--node', '18'])).toThrow('among 20, 22, 24, 26');
    expect(() => parseOptions(['--threads', '4,many'])).toThrow(
      'Expected --threads as a whole number from 1, got many',
    );
    expect(() => parseOptions(['--rounds', '0'])).toThrow('whole number from 1');
    expect(() => parseOptions(['--write', '--peers', 'blocked'])).toThrow('Expected --write without');
    expect(parseOptions(['--write', '--parts', 'probes'])).toMatchObject({ write: true, parts: ['probes'] });
    expect(() => parseOptions(['--write', '--servers', 'graphql'])).toThrow('Expected --write without');
  });

  test('names every option in the help', () => {
    expect(parseOptions(['--help'])).toBe('help');
    for (const option of [
      '--node',
      '--peers',
      '--servers',
      '--parts',
      '--rounds',
      '--threads',
      '--quick',
      '--seed',
      '--write',
    ]) {
      expect(help).toContain(option);
    }
  });
});
