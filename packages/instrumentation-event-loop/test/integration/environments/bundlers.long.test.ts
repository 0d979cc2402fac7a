import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { beforeAll, describe, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';
import type { RunOptions } from '@loopwatch/test-support';

import { runUnstarved } from '../support.ts';
import { bundlers } from './extras.ts';
import { environmentTree, expectOneBlock, INSTALL_TIMEOUT_MS } from './support.ts';

const run = promisify(execFile);
/** One Node.js major is enough: a bundle is the same on each. */
const combination = { nodeMajor: 24 } as const;

const bundles = [
  ['esbuild', 'cjs'],
  ['esbuild', 'esm'],
  ['esbuild-minified', 'cjs'],
  ['webpack', 'cjs'],
  ['webpack', 'esm'],
  ['rollup', 'cjs'],
  ['rollup', 'esm'],
  ['ncc', 'cjs'],
  ['ncc', 'esm'],
] as const;

beforeAll(() => environmentTree('sdk3', bundlers), INSTALL_TIMEOUT_MS);

describe('A block in an application that is bundled with its SDK and the instrumentation has its culprit', () => {
  test.each(bundles)('in the source file, through the source map of %s (%s)', async (tool, format) => {
    await using bundle = await bundled(tool, format);
    const result = await bundle.run();
    expectOneBlock(result, { functionName: 'priceOrder', file: bundle.source, lines: [10, 15] });
  });

  test('in the source file, through the source maps of Node.js (esbuild)', async () => {
    await using bundle = await bundled('esbuild', 'cjs');
    const result = await bundle.run({ flags: ['--enable-source-maps'] });
    expectOneBlock(result, { functionName: 'priceOrder', file: bundle.source, lines: [10, 15] });
  });

  test('in the bundle when source maps are off (esbuild)', async () => {
    await using bundle = await bundled('esbuild', 'cjs');
    const place = { functionName: 'priceOrder', file: bundle.file, lines: [1, Infinity] } as const;
    const result = await bundle.run({ env: { LOOPWATCH_SOURCE_MAPS: 'false' } });
    const span = expectOneBlock(result, place);
    expect(span.attributes['code.stacktrace']).not.toContain(bundle.source);
  });
});

/** Builds the bundle in a temporary folder, which is removed on disposal. */
async function bundled(tool: string, format: 'cjs' | 'esm') {
  const tree = await environmentTree('sdk3', bundlers);
  const folder = await mkdtemp(path.join(tree.directory, 'bundle-'));
  const bundle = path.join(tree.directory, 'bundlers/bundle.mjs');
  const options = { cwd: tree.directory, timeout: 120_000 };
  await run(nodeBinary(combination.nodeMajor), [bundle, tool, format, folder], options);
  const file = path.join(folder, format === 'esm' ? 'app.mjs' : 'app.js');
  return {
    file,
    source: path.join(tree.directory, 'bundlers/app.mjs'),
    run: (options: Pick<RunOptions, 'flags' | 'env'> = {}) =>
      runUnstarved({ combination, tree, program: path.relative(tree.directory, file), preload: 'none', ...options }),
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true });
    },
  };
}
