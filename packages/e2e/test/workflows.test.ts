import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { rootDirectory } from '../../../scripts/lib/paths.mjs';
import { ensureBuilt } from '../../../scripts/stack/build.mjs';
import { actionlintPart } from '../../../scripts/stack/parts.mjs';
import { runCommand } from '../src/commands.ts';

let actionlint: string;
let directory: string;

beforeAll(async () => {
  const binaries = await ensureBuilt([actionlintPart], (line: string) => void process.stderr.write(`${line}\n`));
  actionlint = binaries['actionlint']!;
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-workflows-'));
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

test('actionlint accepts the workflows', () => {
  const workflows = ['ci', 'nightly', 'release', 'version'].map((name) =>
    path.join(rootDirectory, `.github/workflows/${name}.yml`),
  );
  expect(runCommand(actionlint, workflows)).toEqual({ exitCode: 0, output: '' });
});

test('actionlint refuses a workflow that reads what its job does not have', () => {
  mkdirSync(path.join(directory, '.github/workflows'), { recursive: true });
  const file = path.join(directory, '.github/workflows/bad.yml');
  const step = `      - run: echo \${{ matrix.combination }}`;
  writeFileSync(file, `on: push\njobs:\n  one:\n    runs-on: ubuntu-24.04\n    steps:\n${step}\n`);
  const { exitCode, output } = runCommand(actionlint, [file]);
  expect(exitCode).toBe(1);
  expect(output).toContain('"combination"');
});
