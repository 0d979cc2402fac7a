import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from '@jest/globals';
import { builtPackage, kitDirectory, packageDirectory, runProgram } from '@loopwatch/test-support';

import { METRIC_EVENT_LOOP_LAG } from '../../src/semconv.ts';
import { otlpReceiver } from './otlp-receiver.ts';

const run = promisify(execFile);
const packageName = '@loopwatch/instrumentation-event-loop';
const INSTALL_TIMEOUT_MS = 400_000;

test(
  "the commands of the package's README, in an empty folder, export the blocks of a program",
  async () => {
    const readme = await readFile(path.join(packageDirectory, 'README.md'), 'utf8');
    const [, packages = ''] = /^npm install (.*)$/m.exec(readme) ?? [];
    const [, flags = ''] = /^node (.*) app\.js$/m.exec(readme) ?? [];
    const { tarball } = await builtPackage();
    const scratch = await mkdtemp(path.join(os.tmpdir(), 'loopwatch-test-'));
    const directory = path.join(scratch, 'app');
    await mkdir(directory);
    try {
      const names = packages.split(' ').map((name) => (name === packageName ? tarball : name));
      const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD)/i.test(name)));
      await run('npm', ['install', '--no-audit', '--no-fund', ...names], { cwd: directory, env });
      await cp(path.join(import.meta.dirname, 'fixtures/plain-app.cjs'), path.join(directory, 'app.js'));
      await cp(kitDirectory, path.join(scratch, 'kit'), { recursive: true });

      await using receiver = await otlpReceiver();
      const result = await runProgram({
        combination: { nodeMajor: 24 },
        tree: { directory, kit: '' },
        program: 'app.js',
        preload: 'none',
        flags: flags.split(' '),
        env: receiver.env,
      });
      expect(result).toMatchObject({ exitCode: 0, stdout: 'done\n', stderr: '' });
      expect(receiver.culprits).toEqual(['renderInvoice']);
      expect(receiver.metricNames).toContain(METRIC_EVENT_LOOP_LAG);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  },
  INSTALL_TIMEOUT_MS,
);
