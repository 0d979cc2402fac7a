import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';
import { sampledMajors } from '@loopwatch/test-support';

import { expectSuccess, startCli } from '../support/cli.js';
import {
  blockIdsOf,
  integrityOf,
  killAndRestart,
  type KeepingServe,
  sendBlocks,
  startKeepingServe,
  stateOf,
} from '../support/kept.js';

/** One with SQLite of its own, and one without. The other majors have the test of the directory. */
const MAJORS = [20, 24] as const;

const isRoot = process.getuid?.() === 0;
const onLinux = process.platform === 'linux' ? test.concurrent : test.concurrent.skip;
const onLinuxAsRoot = process.platform === 'linux' && isRoot ? test.concurrent : test.concurrent.skip;

interface Place extends AsyncDisposable {
  readonly directory: string;
  readonly file: string;
  readonly start: typeof startKeepingServe;
  /** Ends and removes with the others what has not been started by `start`. */
  readonly add: (serve: KeepingServe) => void;
  /** How many blocks a start finds. */
  readonly savedBlocks: () => Promise<number>;
}

/** A directory of a test, with the servers that save to it. */
async function newPlace(): Promise<Place> {
  const directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-test-'));
  const file = path.join(directory, 'kept.db');
  const serves: KeepingServe[] = [];
  const start: Place['start'] = async (...args) => {
    const serve = await startKeepingServe(...args);
    serves.push(serve);
    return serve;
  };
  return {
    directory,
    file,
    start,
    add: (serve) => void serves.push(serve),
    savedBlocks: async () => {
      const serve = await start(file);
      const { length } = await blockIdsOf(serve.url);
      await stop(serve);
      return length;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { running } of serves) {
        running.child.kill('SIGKILL');
        await running.result;
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function stop({ running }: KeepingServe): Promise<string> {
  running.child.kill('SIGTERM');
  const result = await running.result;
  expectSuccess(result);
  const { stderr } = result;
  return stderr;
}

const A_MINUTE = 60_000;

describe('serve --keep', () => {
  test.each(MAJORS)(
    'starts at the first try and has lost nothing after it was killed at any moment, on Node.js %d',
    async (major) => {
      await using place = await newPlace();
      const { directory, file } = place;
      const rounds = 9;
      const result = await killAndRestart(file, rounds, major);
      // Without a warning of Node.js about its SQLite either.
      expect(result).toMatchObject({ output: '', lost: [] });
      expect(result.withinTransaction).toBeGreaterThan(0);
      expect(result.blocks).toBeGreaterThan(0);
      expect(integrityOf(file)).toBe('ok');
      // A journal that was killed before it had content stays until the next transaction.
      expect(readdirSync(directory).filter((name) => name !== 'kept.db-journal')).toEqual(['kept.db']);
    },
    3 * A_MINUTE,
  );

  test.concurrent.each(sampledMajors(22, 26))(
    'leaves a directory FILE.lock that it has not made, on Node.js %d',
    async (major) => {
      await using place = await newPlace();
      const { directory, file, start, savedBlocks } = place;
      mkdirSync(`${file}.lock`);
      writeFileSync(path.join(`${file}.lock`, 'notes'), 'mine');
      execFileSync('touch', ['-d', '2020-01-01', `${file}.lock`]);
      const serve = await start(file, { major });
      await sendBlocks(serve.url, ['a', 'b']);
      expect(await stop(serve)).toBe('');
      expect(readdirSync(directory)).toEqual(['kept.db', 'kept.db.lock']);
      expect(readdirSync(`${file}.lock`)).toEqual(['notes']);
      expect(await savedBlocks()).toBe(2);
    },
  );

  test.concurrent.each(MAJORS)('goes on in memory with a file that is no database, on Node.js %d', async (major) => {
    await using place = await newPlace();
    const { directory, file, start } = place;
    const garbage = 'x'.repeat(10_000);
    writeFileSync(file, garbage);
    const serve = await start(file, { major });
    await sendBlocks(serve.url, ['a']);
    const { remarks, blocks } = await stateOf(serve.url);
    expect(remarks).toEqual([
      expect.stringMatching(/^Nothing is saved to .*kept\.db: file is not a database\. Data stays/),
    ]);
    expect(blocks).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const stderr = await stop(serve);
    expect(stderr.trim().split('\n')).toEqual([
      `loopwatch: ${remarks![0]}`,
      `loopwatch: What arrived last is not saved to ${file}.`,
    ]);
    expect(readFileSync(file, 'utf8')).toBe(garbage);
    expect(readdirSync(directory)).toEqual(['kept.db']);
  });

  // Each write beyond the limit fails, as on a full disk; the limit can be lifted while the process runs.
  onLinux.each(MAJORS)(
    'goes on in memory while the disk is full, and saves all of it later, on Node.js %d',
    async (major) => {
      await using place = await newPlace();
      const { file, start, savedBlocks } = place;
      await stop(await start(file, { major }));
      const serve = await start(file, { major, under: ['prlimit', '--fsize=8192:unlimited'] });
      await sendBlocks(serve.url, ['a', 'b', 'c']);
      await serve.running.waitFor(/loopwatch: Nothing is saved to .*\. Data stays in memory/);
      expect((await stateOf(serve.url)).remarks).toHaveLength(1);
      await sendBlocks(serve.url, ['d']);
      expect(await blockIdsOf(serve.url)).toHaveLength(4);
      execFileSync('prlimit', ['--pid', String(serve.running.child.pid), '--fsize=unlimited']);
      await serve.running.waitFor(/loopwatch: Saves to .*kept\.db again\./);
      expect((await stateOf(serve.url)).remarks).toEqual([]);
      const stderr = await stop(serve);
      expect(stderr.trim().split('\n')).toHaveLength(2);
      expect(await savedBlocks()).toBe(4);
      expect(integrityOf(file)).toBe('ok');
    },
    A_MINUTE,
  );

  onLinuxAsRoot(
    'shows what was saved on a disk that is full or read-only, and saves once it is not',
    async () => {
      await using place = await newPlace();
      const { directory, file, start } = place;
      const mount = (...options: string[]): void => void execFileSync('mount', [...options, directory]);
      mount('-t', 'tmpfs', '-o', 'size=256k', 'tmpfs');
      try {
        const first = await start(file);
        await sendBlocks(first.url, ['a']);
        await stop(first);
        const filler = path.join(directory, 'filler');
        try {
          writeFileSync(filler, Buffer.alloc(1_000_000));
        } catch {
          // It is full.
        }
        const second = await start(file);
        expect(await blockIdsOf(second.url)).toHaveLength(1);
        await sendBlocks(
          second.url,
          Array.from({ length: 40 }, (_, index) => `b${index}`),
        );
        await second.running.waitFor(/Nothing is saved to .*(full|disk|ENOSPC)/);
        mount('-o', 'remount,size=10m');
        await second.running.waitFor(/Saves to .*kept\.db again\./);
        await stop(second);
        mount('-o', 'remount,ro');
        const third = await start(file);
        expect(await blockIdsOf(third.url)).toHaveLength(41);
        expect((await stateOf(third.url)).remarks).toEqual([expect.stringContaining('EROFS')]);
        await sendBlocks(third.url, ['c']);
        mount('-o', 'remount,rw');
        expect(await stop(third)).toContain('Nothing is saved');
      } finally {
        execFileSync('umount', ['--lazy', directory]);
      }
    },
    A_MINUTE,
  );

  (isRoot ? test.concurrent.skip : test.concurrent)(
    'goes on in memory in a directory that it may not write to',
    async () => {
      await using place = await newPlace();
      const { directory, file, start, savedBlocks } = place;
      chmodSync(directory, 0o500);
      const serve = await start(file);
      await sendBlocks(serve.url, ['a']);
      expect((await stateOf(serve.url)).remarks).toEqual([expect.stringContaining('EACCES')]);
      chmodSync(directory, 0o700);
      expect(await stop(serve)).toContain('again.');
      expect(await savedBlocks()).toBe(1);
    },
  );

  test.concurrent(
    'waits for another serve, whose process id it says, and gives up',
    async () => {
      await using place = await newPlace();
      const { file, start } = place;
      const first = await start(file, { major: 20 });
      const { pid } = first.running.child;
      const second = startCli(['serve', '--port', '0', '--keep', file], { major: 24 });
      await second.waitFor(
        new RegExp(`loopwatch: Waiting to save to .*kept\\.db: loopwatch serve with process id ${pid} saves there\\.`),
      );
      const { code, stderr } = await second.result;
      expect(code).toBe(1);
      expect(stderr.trim().split('\n')[1]).toBe(
        `loopwatch: Gave up after 10 s: loopwatch serve with process id ${pid} saves there, to ${file}. Stop it, or give --keep another file.`,
      );
      await sendBlocks(first.url, ['a']);
      const third = startKeepingServe(file, { major: 24 });
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(await stop(first)).toBe('');
      place.add(await third);
      expect(await blockIdsOf((await third).url)).toHaveLength(1);
    },
    A_MINUTE,
  );
});
