import { parseArgs } from 'node:util';

import { expect, test } from '@jest/globals';

import { PRELOAD, programEnvironment } from '../../src/cli/program/environment.js';

function nodeOptions(present: string): string {
  return programEnvironment({ NODE_OPTIONS: present }, '/tmp/loopwatch-abc', '').NODE_OPTIONS ?? '';
}

/** As `next dev` reads `NODE_OPTIONS` for the process of its server: a word after an option without a value is one. */
function requireOfNext(options: string): unknown {
  const { values, tokens } = parseArgs({ args: options.split(' '), strict: false, tokens: true });
  let name: string | undefined;
  for (const token of tokens) {
    if (token.kind === 'option') name = token.value === undefined ? token.name : undefined;
    else if (token.kind === 'positional' && name !== undefined) {
      const before = values[name];
      values[name] = typeof before === 'string' ? `${before} ${token.value}` : token.value;
    }
  }
  return values.require;
}

test.each(['--require /srv/own.cjs', '--require=/srv/own.cjs'])(
  'a launcher that keeps one value of each option keeps that of the program: %s',
  (present) => {
    expect(requireOfNext(nodeOptions(present))).toBe('/srv/own.cjs');
    expect(requireOfNext(nodeOptions(''))).toBe(PRELOAD);
  },
);
