import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

import { withLock } from '../lib/lock.mjs';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-lock-'));
  file = path.join(directory, 'lock');
  jest.spyOn(console, 'log').mockImplementation(() => undefined);
});

afterEach(() => {
  jest.restoreAllMocks();
  rmSync(directory, { recursive: true, force: true });
});

describe('the lock', () => {
  test('lets the second wait until the first is done', async () => {
    const events: string[] = [];
    const first = withLock(file, async () => {
      events.push('first begins');
      await nextTurn();
      events.push('first ends');
    });
    const second = withLock(file, () => {
      events.push('second begins');
      return Promise.resolve();
    });
    await Promise.all([first, second]);
    expect(events).toEqual(['first begins', 'first ends', 'second begins']);
  });

  test('is released when the work fails', async () => {
    await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(file)).toBe(false);
  });

  test('of a process that was killed is taken over', async () => {
    const { pid } = spawnSync(process.execPath, ['--eval', '0']);
    writeFileSync(file, String(pid));
    await expect(withLock(file, () => Promise.resolve('done'))).resolves.toBe('done');
  });
});
