import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { createChannelDirectory, removeChannelDirectory } from '../../src/cli/program/channel-directory.ts';

describe('the directory of the channel', () => {
  let temporary: string;

  beforeEach(() => {
    temporary = mkdtempSync(path.join(tmpdir(), 'channel-directory-'));
  });

  afterEach(() => {
    rmSync(temporary, { recursive: true });
  });

  test('is below the temporary directory, until it is removed', () => {
    const directory = createChannelDirectory(temporary);
    expect(path.dirname(directory)).toBe(temporary);
    removeChannelDirectory(directory);
    expect(existsSync(directory)).toBe(false);
  });

  test('is refused where it belongs to another user, and nothing is left', () => {
    const userId = process.geteuid!();
    expect(() => createChannelDirectory(temporary, userId + 1)).toThrow(
      `belongs to you (user id ${userId + 1}), got user id ${userId}. Set TMPDIR to a directory on a local disk.`,
    );
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('is refused with its path where there is no temporary directory', () => {
    const absent = path.join(temporary, 'absent');
    expect(() => createChannelDirectory(absent)).toThrow(`${absent} (ENOENT)`);
  });
});
