import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from '@jest/globals';
import { sampledMajors } from '@loopwatch/test-support';

import type { Block } from '../../src/model/types.js';
import { expectSuccess, fixture, runCli } from '../support/cli.js';

/** Until then, Node.js does not publish its tests. */
const PUBLISHING_MAJOR = 24;

test.each(sampledMajors(20, 24))('a block in a test of node:test has its name, on Node.js %d', async (major) => {
  const json = path.join(tmpdir(), `loopwatch-tests-${process.pid}-${major}.json`);
  try {
    const command = ['node', '--test', fixture('slow-tests.mjs')];
    const result = await runCli(['run', '--json', json, '--', ...command], { major });
    expectSuccess(result);
    const { stderr } = result;
    const { blocks } = JSON.parse(await readFile(json, 'utf8')) as { blocks: Block[] };
    const requestOf = (name: string): string | undefined =>
      blocks.find(({ culprit }) => culprit?.functionName === name)?.request;
    const isPublished = major >= PUBLISHING_MAJOR;
    expect([requestOf('mergeOrders'), requestOf('sortOrders')]).toEqual(
      isPublished ? ["test 'merges orders'", "test 'are sorted'"] : [undefined, undefined],
    );
    expect(stderr.includes("in test 'merges orders'")).toBe(isPublished);
  } finally {
    await rm(json, { force: true });
  }
});
