import { describe, expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { fixtureTree, runFixture } from '../support.ts';
import { expectOneBlock, oldestAndNewest } from './support.ts';

/** Of `revealingFunctionName`, in both. */
const lines = [6, 13] as const;
const programs = [
  ['one-block.cjs', 'require'],
  ['one-block.mjs', 'import'],
] as const;

// What the permission model forbids is in ../limits.integration.test.ts, source maps in ./bundlers and the corpus.
describe.each(oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const))(
  '%s',
  (_label, combination) => {
    // Node warns of frozen intrinsics itself.
    const flags = ['--disallow-code-generation-from-strings', '--frozen-intrinsics', '--no-warnings'];

    test.each(programs)(
      'without code from strings and with frozen intrinsics all is seen (%s)',
      async (program, preload) => {
        const { directory } = await fixtureTree(combination);
        const result = await runFixture(combination, program, { preload, flags });
        expectOneBlock(result, {
          functionName: 'revealingFunctionName',
          file: `${directory}/${program}`,
          lines,
        });
        expect(result.diags.filter(({ level }) => level !== 'info')).toEqual([]);
      },
    );
  },
);

describe.each(
  combinationPerMajor
    .filter(({ nodeMajor }) => nodeMajor >= 24) // earlier ones have no --allow-inspector
    .map((combination) => [describeCombination(combination), combination] as const),
)('%s, under the permission model', (_label, combination) => {
  test('with workers and the inspector allowed all is seen, though /proc is not', async () => {
    const { directory, consumer } = await fixtureTree(combination);
    const result = await runFixture(combination, 'one-block.cjs', {
      preload: 'require',
      flags: [
        '--no-warnings',
        '--permission',
        '--allow-worker',
        '--allow-inspector',
        `--allow-fs-read=${consumer.directory}`,
        // Where the fixture writes what it has seen.
        '--allow-fs-write=*',
      ],
    });
    const place = {
      functionName: 'revealingFunctionName',
      file: `${directory}/one-block.cjs`,
      lines,
    } as const;
    expectOneBlock(result, place);
    expect(result.diags.filter(({ level }) => level !== 'info')).toEqual([]);
  });
});
