import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { append } from '../../../../src/watchdog/report/append.js';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-append-'));
  file = path.join(directory, 'records.jsonl');
  fs.writeFileSync(file, '');
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** What a file has after something was appended to `path`, of which the URL says `inode`. */
function appended(inode: string): string {
  const unused = { timeoutMs: 0, certificate: undefined, clientKey: undefined, clientCertificate: undefined };
  append({ ...unused, url: `${pathToFileURL(file).href}${inode}`, headers: {} }, '{}');
  return fs.readFileSync(file, 'utf8');
}

function inodeOf(name: string): string {
  const { dev, ino } = fs.statSync(name, { bigint: true });
  return `#${dev}:${ino}`;
}

test('a request is appended to the file, and to the one that the URL names', () => {
  expect(appended('')).toBe('\n{"headers":{},"body":{}}\n');
  expect(appended(inodeOf(file))).toMatch(/body[^]*body/);
});

test('nothing is appended to a file that has its path meanwhile, as by a link of another user', () => {
  const inode = inodeOf(file);
  const other = path.join(directory, 'other');
  fs.writeFileSync(other, '');
  fs.renameSync(file, path.join(directory, 'first'));
  fs.symlinkSync(other, file);
  expect(appended(inode)).toBe('');
});
