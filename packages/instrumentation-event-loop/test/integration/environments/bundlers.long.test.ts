import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { beforeAll, describe, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';

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
    const result = await bundle.run(['--enable-source-maps']);
    expectOneBlock(result, { functionName: 'priceOrder', file: bundle.source, lines: [8, 13] });
  });

  test('in the bundle when source maps are not enabled (esbuild)', async () => {
    await using bundle = await bundled('esbuild', 'cjs');
    const place = { functionName: 'priceOrder', file: bundle.file, lines: [1, Infinity] } as const;
    const span = expectOneBlock(await bundle.run([]), place);
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
    run: (flags: readonly string[]) =>
      runUnstarved({ combination, tree, program: path.relative(tree.directory, file), preload: 'none', flags }),
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true });
    },
  };
}
