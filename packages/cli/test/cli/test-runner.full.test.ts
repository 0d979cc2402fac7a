import { spawnSync } from 'node:child_process';

import { expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';
import { sampledMajors } from '@loopwatch/test-support';

import { fixture, runCli } from '../support/cli.js';

test.each(sampledMajors(20, 26))(
  'node --test ends as it does without loopwatch when the process that runs the tests is blocked, on Node.js %d',
  async (major) => {
    const command = ['node', '--test', '--test-reporter', fixture('slow-reporter.mjs'), fixture('passes.cjs')];
    const { code, stdout, stderr } = await runCli(['run', '--', ...command], { major });
    expect([code, stdout.toString()]).toEqual([0, 'passes\n']);
    expect(stderr).toMatch(/no stack/);
  },
);

test.each(sampledMajors(24, 26))(
  'node:test calls tests with the `this` and the stack that they have without loopwatch, on Node.js %d',
  async (major) => {
    const file = fixture('test-contexts.cjs');
    const alone = spawnSync(nodeBinary(major), [file], { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } });
    const { code, stderr } = await runCli(['run', '-q', '--', 'node', file], { major });
    expect([code, stderr]).toEqual([0, alone.stderr]);
    expect(stderr).toContain('test: its context\n');
  },
);

test.each(sampledMajors(22, 24))(
  'a runner that looks for new keys of the global object finds none of loopwatch, on Node.js %d',
  async (major) => {
    const { code, stdout, stderr } = await runCli(['run', '--', 'node', fixture('global-keys.cjs')], { major });
    expect([code, stdout.toString()]).toEqual([0, 'main leaks []\nworker leaks []\n']);
    expect(stderr.match(/burnCpu \S+burn\.cjs:\d+/g)?.length).toBeGreaterThanOrEqual(2);
  },
);
