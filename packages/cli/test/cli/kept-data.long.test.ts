import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from '@jest/globals';
import { nodeMajors } from '@loopwatch/node-binaries';

import { integrityOf, killAndRestart } from '../support/kept.js';

const ROUNDS = 60;

test.each(nodeMajors)(
  'serve --keep starts at the first try and has lost nothing after dozens of kills, on Node.js %d',
  async (major) => {
    const directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-test-'));
    try {
      const file = path.join(directory, 'kept.db');
      const result = await killAndRestart(file, ROUNDS, major);
      expect(result).toMatchObject({ output: '', lost: [] });
      expect(result.withinTransaction).toBeGreaterThan(ROUNDS / 10);
      expect(integrityOf(file)).toBe('ok');
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
  600_000,
);
