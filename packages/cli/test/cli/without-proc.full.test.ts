import process from 'node:process';

import { expect, test } from '@jest/globals';
import { sampledMajors } from '@loopwatch/test-support';

import { expectSuccess, fixture, runCli } from '../support/cli.js';

/** In a mount namespace of its own, which only root may create here. */
const WITHOUT_PROC = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /proc && exec "$@"', 'sh'];
const asRoot = (process.platform === 'linux' && process.geteuid?.() === 0 ? test : test.skip) as typeof test;

// There, `process.execPath` is what stood on the command line.
asRoot.each(sampledMajors(20, 26))(
  'the function that blocks is named without /proc, where Node.js is found by PATH, on Node.js %d',
  async (major) => {
    const result = await runCli(['run', '--', 'node', fixture('blocks.cjs')], { major, under: WITHOUT_PROC });
    expectSuccess(result);
    expect(result.stderr).toMatch(/burnCpu .*burn\.cjs/);
  },
);
