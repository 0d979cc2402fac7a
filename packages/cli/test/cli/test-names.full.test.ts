import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from '@jest/globals';
import { sampledMajors } from '@loopwatch/test-support';

import type { Block } from '../../src/model/types.js';
import { expectSuccess, fixture, runCli } from '../support/cli.js';

test.each(sampledMajors(20, 26))('a block in a test of node:test has its name, on Node.js %d', async (major) => {
  const json = path.join(tmpdir(), `loopwatch-tests-${process.pid}-${major}.json`);
  try {
    const command = ['node', '--test', fixture('slow-tests.mjs')];
    const result = await runCli(['run', '--json', json, '--', ...command], { major });
    expectSuccess(result);
    const { stderr } = result;
    const { blocks } = JSON.parse(await readFile(json, 'utf8')) as { blocks: Block[] };
    const requestOf = (name: string): string | undefined =>
      blocks.find(({ culprit }) => culprit?.functionName === name)?.request;
    // After an `await`, Node.js does not say which test runs.
    expect([requestOf('mergeOrders'), requestOf('sortOrders')]).toEqual(["test 'merges orders'", undefined]);
    expect(stderr).toContain("in test 'merges orders'");
  } finally {
    await rm(json, { force: true });
  }
});
