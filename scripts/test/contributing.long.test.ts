import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');
const COMMAND_LIMIT_MS = 900_000;
const guide = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
const commands = [...guide.matchAll(/^```\n([\s\S]*?)^```$/gm)].flatMap(([, text = '']) => text.trim().split('\n'));

let clone: string;

beforeAll(() => {
  clone = mkdtempSync(path.join(tmpdir(), 'loopwatch-clone-'));
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone]);
});

afterAll(() => {
  rmSync(clone, { recursive: true, force: true });
});

test.each(commands)(
  'works in a fresh clone, in the order of CONTRIBUTING.md: %s',
  (command) => {
    // npm and the workspace hand their settings to their scripts; a newcomer's shell has none of them.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(npm_|LOOPWATCH_|JEST_|NODE_OPTIONS|INIT_CWD)/i.test(name)),
    );
    const run = spawnSync('sh', ['-c', command], { cwd: clone, env, encoding: 'utf8', timeout: COMMAND_LIMIT_MS });
    expect({ exitCode: run.status, output: run.status === 0 ? '' : `${run.stdout}${run.stderr}`.slice(-4000) }).toEqual(
      {
        exitCode: 0,
        output: '',
      },
    );
  },
  COMMAND_LIMIT_MS,
);

test('the commands of CONTRIBUTING.md change no file of the checkout', () => {
  expect(commands.length).toBeGreaterThan(2);
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: clone, encoding: 'utf8' })).toBe('');
});
