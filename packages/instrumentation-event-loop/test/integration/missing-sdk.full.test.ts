import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  combinationPerMajor,
  consumerOf,
  describeCombination,
  runProgram,
  sampledCombinations,
} from '@loopwatch/test-support';
import type { Combination, RunResult } from '@loopwatch/test-support';

const missing =
  'loopwatch: no OpenTelemetry SDK found, so nothing is exported. Run: npm install @opentelemetry/sdk-node\n';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'loopwatch-test-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** Runs a program in a folder without any package, under the `/register` of the consumer. */
async function runRegistered(
  combination: Combination,
  env: Record<string, string> = {},
  flags: readonly string[] = [],
): Promise<RunResult> {
  const fixture = path.join(import.meta.dirname, 'fixtures/processes-and-threads.cjs');
  await cp(fixture, path.join(directory, 'program.cjs'));
  const consumer = await consumerOf(combination.sdk);
  const register = path.join(
    consumer.directory,
    'node_modules/@loopwatch/instrumentation-event-loop/dist/register.mjs',
  );
  return runProgram({
    combination,
    tree: { directory, kit: '' },
    program: 'program.cjs',
    preload: 'none',
    env: { NODE_OPTIONS: [...flags, '--import', pathToFileURL(register).href].join(' '), ...env },
  });
}

/** What `.pnp.cjs` does for a package in an archive. */
const ARCHIVE = `
const Module = require('node:module');
const file = require('node:path').join(__dirname, 'cache.zip/sdk-node/index.js');
const { _resolveFilename: resolve, _load: load } = Module;
Module._resolveFilename = (name, ...rest) => (name === '@opentelemetry/sdk-node' ? file : resolve(name, ...rest));
Module._load = (name, ...rest) => (name === file ? { NodeSDK } : load(name, ...rest));
class NodeSDK {
  start() {
    process.stderr.write('started\\n');
  }
  async shutdown() {}
}
`;

async function installSdk(name: string, source: string): Promise<void> {
  const folder = path.join(directory, 'node_modules', name);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'index.js'), source);
}

describe.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: register',
  (_label, combination) => {
    test('says once on stderr what to install when there is no SDK, not in each process and thread', async () => {
      const result = await runRegistered(combination);
      expect(result).toMatchObject({ exitCode: 0, stderr: missing });
      expect(result.stdout.trim().split('\n').sort()).toEqual(['child', 'parent', 'worker']);
    });
  },
);

describe.each(
  sampledCombinations(20, 26).map((combination) => [describeCombination(combination), combination] as const),
)('%s: register', (_label, combination) => {
  test('says so at the end of a program that could have set up its own SDK and did not', async () => {
    await installSdk('@opentelemetry/sdk-metrics', '');
    const result = await runRegistered(combination);
    expect(result).toMatchObject({ exitCode: 0, stderr: missing });
  });

  test('says nothing with OTEL_SDK_DISABLED', async () => {
    const result = await runRegistered(combination, { OTEL_SDK_DISABLED: 'true' });
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('says once on stderr why the SDK did not start', async () => {
    const source = 'exports.NodeSDK = class { start() { throw new Error("no such exporter\\nat home"); } };';
    await installSdk('@opentelemetry/sdk-node', source);
    const result = await runRegistered(combination);
    expect(result).toMatchObject({
      exitCode: 0,
      stderr: 'loopwatch: the OpenTelemetry SDK did not start, so nothing is exported: no such exporter\n',
    });
  });

  test("starts an SDK that only `require` finds, in an archive of Yarn's Plug'n'Play", async () => {
    const archive = path.join(directory, 'archive.cjs');
    await writeFile(archive, ARCHIVE);
    const result = await runRegistered(combination, {}, ['--require', archive]);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(new Set(result.stderr.trim().split('\n'))).toEqual(new Set(['started']));
  });
});
