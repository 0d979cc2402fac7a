import { describe, expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination, oldestAndNewest } from '@loopwatch/test-support';

import { fixtureTree, runFixture } from '../support.ts';
import { expectOneBlock } from './support.ts';

/** First and last line of `revealingFunctionName` in both programs. */
const lines = [6, 13] as const;
const programs = [
  ['one-block.cjs', 'require'],
  ['one-block.mjs', 'import'],
] as const;

// See ../limits.calm.full.test.ts for what the permission model forbids, ./bundlers and the corpus for source maps.
describe.each(oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const))(
  '%s',
  (_label, combination) => {
    // --no-warnings, because Node.js warns of frozen intrinsics.
    const flags = ['--disallow-code-generation-from-strings', '--frozen-intrinsics', '--no-warnings'];

    test.each(programs)(
      'a block has its culprit without code generation from strings and with frozen intrinsics (%s)',
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
  test('a block has its culprit when workers and the inspector are allowed, although /proc cannot be read', async () => {
    const { directory, consumer } = await fixtureTree(combination);
    const result = await runFixture(combination, 'one-block.cjs', {
      preload: 'require',
      flags: [
        '--no-warnings',
        '--permission',
        '--allow-worker',
        '--allow-inspector',
        `--allow-fs-read=${consumer.directory}`,
        // The fixture writes its telemetry to a file.
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
