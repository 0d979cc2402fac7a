import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nodeMajors } from '@loopwatch/node-binaries';

import { createChannel } from '../../src/channel/reader.js';
import {
  actsThatEndAlone,
  allDifferences,
  groupsOf,
  measureActsThatEndAlone,
  WAY_NAMES,
  wayOf,
} from '../support/hostile-programs.js';

/** Small, so that an act hides little of what another one would show. */
const GROUP_SIZE = 3;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-hostile-'));
  createChannel(directory, { thresholdMs: 20, countsStartUp: false, withArguments: false });
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

test(
  'the list of the acts that end a program alone is right',
  async () => {
    expect(await measureActsThatEndAlone()).toEqual(actsThatEndAlone);
  },
  10 * 60_000,
);

describe.each(nodeMajors)('On Node.js %d', (major) => {
  test.each(WAY_NAMES)(
    'hostile programs end as alone in small groups, %s',
    async (name) => {
      const groups = groupsOf(major, name, GROUP_SIZE);
      expect(await allDifferences(major, groups, wayOf(name, directory))).toEqual([]);
    },
    20 * 60_000,
  );
});
