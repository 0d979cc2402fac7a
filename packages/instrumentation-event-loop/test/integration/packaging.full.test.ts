import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, test } from '@jest/globals';
import {
  combinations,
  consumerOf,
  describeCombination,
  oldestAndNewest,
  packageDirectory,
  sampledCombinations,
} from '@loopwatch/test-support';
import type { Combination, PackageManager, SdkLine } from '@loopwatch/test-support';
import { nodeBinary } from '@loopwatch/node-binaries';

import { expectCleanExit, expectUnstarved, fixtureTree, spansOfBlocks } from './support.ts';

const execute = promisify(execFile);
const require = createRequire(import.meta.url);
/** pnpm lays node_modules out in another way, on every combination in the same one: the two share the majors. */
const installs: readonly (readonly [PackageManager, readonly Combination[]])[] = [
  ['npm', sampledCombinations(22, 24)],
  ['pnpm', oldestAndNewest],
];
const sdkLines: readonly SdkLine[] = ['sdk2', 'sdk3'];
/** The compilers of applications: 6 in JavaScript, 7 in Go. */
const compilerOf = { sdk2: 'typescript', sdk3: 'typescript7' };

describe.each(installs)('Installed by %s', (packageManager, on) => {
  test.each(on.map((combination) => [describeCombination(combination), combination] as const))(
    '%s: a CommonJS program and an ES module report their block',
    (_label, combination) =>
      expectUnstarved(async (run) => {
        const commonJs = await run(combination, 'one-block.cjs', { packageManager, preload: 'require' });
        const esModule = await run(combination, 'one-block.mjs', { packageManager, preload: 'import' });
        for (const result of [commonJs, esModule]) {
          expectCleanExit(result);
          expect(spansOfBlocks(result).map(({ parentSpanId }) => parentSpanId)).toEqual([result.truths[0]?.spanId]);
          expect(spansOfBlocks(result)[0]?.attributes['code.function.name']).toBe('revealingFunctionName');
        }
      }),
  );
});

describe('The packed package', () => {
  const moduleResolutions = [
    ['node16', 'node16', ['application.cts', 'application.mts']],
    ['bundler', 'preserve', ['application.mts']],
  ] as const;

  // In a run on all combinations, each line has one of the two.
  const isShared = combinations.length > 1;
  const checks = sdkLines.flatMap((sdk, i) =>
    moduleResolutions.filter((_, k) => !isShared || i === k).map((how) => [sdk, ...how] as const),
  );

  test.each(checks)(
    'type-checks with %s, moduleResolution %s and module %s in %j',
    async (sdk, moduleResolution, module, names) => {
      const { directory } = await fixtureTree({ nodeMajor: 24, sdk });
      const flags = ['--noEmit', '--strict', '--target', 'es2022', '--types', 'node', '--skipLibCheck', 'false'];
      const how = ['--module', module, '--moduleResolution', moduleResolution];
      const files = names.map((name) => path.join(directory, 'types', name));
      const check = await checkTypes(compilerOf[sdk], [...flags, ...how, ...files], directory);
      expect(check).toBe('');
    },
  );

  test('contains only the built files, the manifest, the README, the changelog and the licence', async () => {
    const { directory } = await consumerOf('sdk3');
    const installed = path.join(directory, 'node_modules/@loopwatch/instrumentation-event-loop');
    const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
      peerDependencies: Record<string, string>;
    };
    const source = JSON.parse(await readFile(path.join(packageDirectory, 'package.json'), 'utf8')) as typeof manifest;
    expect(manifest.dependencies ?? {}).toEqual({});
    expect(manifest.peerDependencies).toEqual(source.peerDependencies);
    const entries = await readdir(installed);
    expect(
      entries.filter((name) => !['dist', 'package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'].includes(name)),
    ).toEqual([]);
  });
});

/** The compiler's errors; empty when there are none. */
async function checkTypes(compiler: string, args: readonly string[], directory: string): Promise<string> {
  // TypeScript 7 does not export it.
  const compile = path.join(path.dirname(require.resolve(`${compiler}/package.json`)), 'bin/tsc');
  try {
    const { stdout } = await execute(nodeBinary(24), [compile, ...args], { cwd: directory });
    return stdout;
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
