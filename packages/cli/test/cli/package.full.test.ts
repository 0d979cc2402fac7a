import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pnpmCommand } from '@loopwatch/test-support';

import { licenseOf } from '../../build/third-party-licenses.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAX_PACKED_BYTES = 5 * 1024 * 1024;

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** As the release packs it: pnpm applies what package.json has for the published package alone. */
function pack(directory: string): Packed {
  const [command, ...words] = pnpmCommand;
  const output = execFileSync(command, [...words, 'pack', '--json', '--pack-destination', directory], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return JSON.parse(output) as Packed;
}

let directory: string;
let packed: Packed;
let files: readonly string[];
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-package-'));
  packed = pack(directory);
  files = packed.files.map(({ path: file }) => file);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** Of ws, which works without them. */
const OPTIONAL = ['bufferutil', 'utf-8-validate'];

describe('the package', () => {
  test('is smaller than 5 MB', () => {
    expect(statSync(packed.filename).size).toBeLessThan(MAX_PACKED_BYTES);
  });

  test('starts the built program', () => {
    const unpack = (file: string): string =>
      execFileSync('tar', ['-xzOf', packed.filename, `package/${file}`], { encoding: 'utf8' });
    const { bin } = JSON.parse(unpack('package.json')) as { bin: Record<string, string> };
    expect(bin).toEqual({ loopwatch: 'dist/cli.cjs' });
    expect(unpack(bin.loopwatch!)).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  test('contains the built files and the schema, and no source, test or source map', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'dist/agent.cjs',
        'dist/cli.cjs',
        'dist/page.html',
        'dist/preload.cjs',
        'schema/recording.schema.json',
      ]),
    );
    expect(
      files.filter(
        (file) =>
          !/^(dist\/[\w.-]+\.(mjs|cjs|html|txt)|schema\/.*|package\.json|README\.md|CHANGELOG\.md|LICENSE)$/.test(file),
      ),
    ).toEqual([]);
  });

  test('contains the licences of all bundled packages', () => {
    const texts = ['cli', 'preload', 'agent', 'page'].map((name) =>
      readFileSync(`${ROOT}dist/licenses-${name}.txt`, 'utf8'),
    );
    for (const name of ['commander', 'pbf', 'pprof-format', '@opentelemetry/api', 'preact', 'uplot', 'd3-hierarchy']) {
      expect(texts.join('\n')).toMatch(new RegExp(`^${name} \\d.*\\((MIT|ISC|Apache-2.0|BSD-3-Clause)\\)$`, 'm'));
    }
  });

  test('contains their notices', () => {
    expect(readFileSync(`${ROOT}dist/licenses-cli.txt`, 'utf8')).toMatch(/^Datadog pprof-format\nCopyright \d+/m);
  });

  test('has no dependency but the database', () => {
    const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(dependencies)).toEqual(['node-sqlite3-wasm']);
    expect(licenseOf(`${ROOT}node_modules/node-sqlite3-wasm`)).toMatch(/^node-sqlite3-wasm \S+ \(MIT\)/);
    const foreign = files
      .filter((file) => /\.[cm]js$/.test(file))
      .flatMap((file) => [
        ...readFileSync(`${ROOT}${file}`, 'utf8').matchAll(
          /(?:^(?:import|export)[^'"\n]*from\s*|(?<!["'`])\brequire\()["'`]([^"'`.][^"'`]*)["'`]/gm,
        ),
      ])
      .map(([, name]) => name!)
      .filter((name) => !isBuiltin(name) && !['node-sqlite3-wasm', ...OPTIONAL].includes(name));
    expect(foreign).toEqual([]);
  });

  test('loads the commands only when they run', () => {
    const main = files.find((file) => /^dist\/main-.*\.cjs$/.test(file))!;
    const cli = readFileSync(`${ROOT}${main}`, 'utf8');
    const commands = [...cli.matchAll(/(\(\)=>)?require\("\.\/(run|serve|live-view|open)-/g)];
    expect(commands.map(([, lazily, name]) => [name, lazily])).toEqual(
      expect.arrayContaining([
        ['run', '()=>'],
        ['serve', '()=>'],
      ]),
    );
    expect(commands.filter(([, lazily]) => lazily === undefined)).toEqual([]);
  });
});
