import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { beforeAll, describe, expect, test } from '@jest/globals';
import type { NodeMajor } from '@loopwatch/node-binaries';
import { consumerWith, programTree, type Extras, type ProgramTree } from '@loopwatch/test-support';

import type { Block } from '../../src/model/types.js';
import { fixture, runCli } from '../support/cli.js';

const loaders: Extras = {
  name: 'loaders',
  dependencies: {
    '@babel/core': '7.29.13',
    '@babel/preset-env': '7.29.14',
    '@babel/preset-typescript': '7.29.7',
    '@babel/register': '7.29.13',
    '@swc-node/register': '1.12.1',
    '@swc/core': '1.16.22',
    jiti: '2.7.0',
    'ts-node': '10.9.2',
    tsx: '4.23.15',
    typescript: '6.0.3',
    vitest: '5.1.1',
  },
};
const INSTALL_TIMEOUT_MS = 400_000;
const TIMEOUT_MS = 120_000;

const MAIN = 'src/main.ts';
/** The arguments of Node.js. `known`: where no line is one of compiled code, because Node.js gets the map. */
const programs = [
  { name: 'tsx', args: ['--import', 'tsx', MAIN], known: 'always' },
  { name: 'jiti', args: ['MODULES/jiti/lib/jiti-cli.mjs', MAIN], known: 'never' },
  { name: 'ts-node', args: ['--require', 'ts-node/register/transpile-only', MAIN], known: 'flag' },
  { name: '@babel/register', args: ['--require', './babel.cjs', MAIN], known: 'flag' },
  { name: '@swc-node/register', args: ['--require', '@swc-node/register', MAIN], known: 'never' },
  { name: 'Vitest', args: ['MODULES/vitest/vitest.mjs', 'run', '--root', 'vitest'], known: 'never' },
] as const;
const FLAG = '--enable-source-maps';
const COMPILED = 'line of compiled code';

const functions = ['countDuplicates', 'sumPrices', 'Report.renderRows', 'loadPrices'] as const;

let tree: ProgramTree;

beforeAll(async () => {
  tree = await programTree(await consumerWith('sdk3', loaders), fixture('loaders'));
}, INSTALL_TIMEOUT_MS);

// Node.js 24 removes types itself, Node.js 20 does not: what a loader has compiled is recognised in different ways.
const runs = programs.flatMap((program) =>
  ([20, 24] as const).flatMap((major) =>
    [[], [FLAG]].map((flags) => [program.name, major, flags.join(''), program] as const),
  ),
);

describe('A line of code that was compiled in memory is one of the source, or is marked as a guess', () => {
  test.each(runs)(
    '%s on Node.js %d %s',
    async (_name, major, flag, { args, known }) => {
      const blocks = await run(major, [...(flag ? [flag] : []), ...args]);
      const seen = await Promise.all(functions.map((name) => look(blocks, name)));
      expect(seen.map(({ name }) => name)).toEqual(functions);
      const isKnown = known === 'always' || (known === 'flag' && flag !== '');
      const mayBeMarked = (guess: string): boolean => guess !== '' && (!isKnown || guess !== COMPILED);
      expect(
        seen.filter(({ isRight, guess }) => (isRight ? isKnown && guess === COMPILED : !mayBeMarked(guess))),
      ).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

async function run(major: NodeMajor, args: readonly string[]): Promise<readonly Block[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'loopwatch-loaders-'));
  try {
    const json = path.join(folder, 'blocks.json');
    const modules = path.join(tree.consumer.directory, 'node_modules');
    const command = ['node', ...args.map((arg) => arg.replace('MODULES', modules))];
    const result = await runCli(['run', '--json', json, '--', ...command], { major, cwd: tree.directory });
    expect({ code: result.code, stderr: result.code === 0 ? '' : result.stderr }).toEqual({ code: 0, stderr: '' });
    return (JSON.parse(await readFile(json, 'utf8')) as { blocks: Block[] }).blocks;
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Seen {
  /** Where no block has it, what they have. */
  readonly name: string;
  readonly line: number | undefined;
  readonly isRight: boolean;
  /** Why the culprit is a guess; '' where it is none. */
  readonly guess: string;
}

/** What the block of that function says. */
async function look(blocks: readonly Block[], name: string): Promise<Seen> {
  const file = path.join(tree.directory, 'src/orders.ts');
  const lines = (await readFile(file, 'utf8')).split('\n');
  const method = name.split('.').at(-1)!;
  const first = lines.findIndex((line) => line.endsWith('{') && line.includes(method)) + 1;
  const last = lines.findIndex((line, i) => i >= first && /^ {0,2}\};?$/.test(line)) + 1;
  const block = blocks.find(({ culprit }) => culprit?.functionName.split('.').at(-1) === method);
  const line = block?.culprit?.lineNumber;
  return {
    name: block
      ? name
      : `none of ${blocks.map(({ culprit, because }) => `${culprit?.functionName} (${because})`).join()}`,
    line,
    isRight: block?.culprit?.filePath === file && line !== undefined && line >= first && line <= last,
    guess: block?.because?.split('; guess: ')[1] ?? '',
  };
}
