import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { claimFile, type FileClaim, FileTakenError } from '../../src/cli/store/file-claim.js';

let directory: string;
let file: string;
let link: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch claim '));
  file = path.join(directory, 'kept.db');
  link = `${file}-owner`;
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

const claim = (): Promise<FileClaim> => claimFile(file, { patienceMs: 0 });

/** The text of a claim of this process, with other values. */
async function textOf(change: (text: string) => string): Promise<string> {
  const own = await claim();
  const text = await readlink(link);
  own.release();
  expect(change(text)).not.toBe(text);
  return change(text);
}

describe('a claim on a file', () => {
  test('is had by one process, which is named to the others, and leaves nothing when it is released', async () => {
    const first = await claim();
    await expect(claim()).rejects.toThrow(
      new FileTakenError(`loopwatch serve with process id ${process.pid} saves there`),
    );
    expect(first.renew()).toBe(true);
    first.release();
    expect(await readdir(directory)).toEqual([]);
    (await claim()).release();
  });

  test('is waited for, and the wait is said once', async () => {
    const first = await claim();
    setTimeout(first.release.bind(first), 700);
    const waits: string[] = [];
    const second = await claimFile(file, { patienceMs: 60_000, onWait: (reason) => waits.push(reason) });
    expect(waits).toEqual([`loopwatch serve with process id ${process.pid} saves there`]);
    second.release();
  });

  test('of a process that was killed is taken at once, also while that is a zombie', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const running = await textOf((text) => text.replace(/pid=\d+ start=\d+/, identityOf(child.pid!)));
    await symlink(running, link);
    await expect(claim()).rejects.toThrow(`process id ${child.pid} `);
    child.kill('SIGKILL');
    await once(child, 'exit');
    (await claim()).release();
  });

  (process.platform === 'linux' ? test : test.skip)('of a zombie is taken', async () => {
    // The shell becomes a process that does not ask for its child. That one ends only then: the shell itself would ask.
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60']);
    try {
      const [output] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(output.toString());
      for (let count = 0; count < 100 && !isZombie(pid); count += 1) await new Promise((done) => setTimeout(done, 50));
      expect(isZombie(pid)).toBe(true);
      await symlink(await textOf((text) => text.replace(/pid=\d+ start=\d+/, identityOf(pid))), link);
      (await claim()).release();
    } finally {
      parent.kill('SIGKILL');
    }
  });

  (process.platform === 'linux' ? test : test.skip)(
    'of an ended process whose id another one has now is taken',
    async () => {
      await symlink(await textOf((text) => text.replace(/start=\d+/, 'start=1')), link);
      (await claim()).release();
    },
  );

  test('of a process elsewhere is taken unless it is renewed', async () => {
    const text = await textOf((text) => text.replace(/place=\S+/, 'place=elsewhere'));
    await symlink(text, link);
    const renewal = setInterval(() => {
      execFileSync('touch', ['--no-dereference', link]);
    }, 500);
    await expect(claim()).rejects.toThrow(FileTakenError);
    clearInterval(renewal);
    (await claim()).release();
  }, 30_000);

  test('that was abandoned is taken by one of many that see it at the same time', async () => {
    await symlink(await textOf((text) => text.replace(/pid=\d+/, 'pid=999999999')), link);
    const results = await Promise.allSettled(Array.from({ length: 20 }, claim));
    const claims = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(claims).toHaveLength(1);
    expect(claims[0]!.renew()).toBe(true);
  });

  test('is lost when it was removed or taken, and then not released', async () => {
    const first = await claim();
    await rm(link);
    expect(first.renew()).toBe(false);
    const second = await claim();
    expect(first.renew()).toBe(false);
    first.release();
    expect(second.renew()).toBe(true);
  });

  test.each([
    ['a file', () => writeFile(link, 'mine')],
    ['an empty file', () => writeFile(link, '')],
    ['a directory', () => mkdir(link)],
    ['a link', () => symlink('mine', link)],
    ['a link that looks like one', () => symlink('loopwatch-serve pid=1', link)],
  ])('is not had while %s of the user has its name', async (_what, make) => {
    await make();
    await expect(claim()).rejects.toThrow(/kept\.db-owner exists, and Loopwatch has not made it\. Move it away/);
    expect(await readdir(directory)).toEqual(['kept.db-owner']);
    await expect(
      readFile(link, 'utf8')
        .catch(() => readlink(link))
        .catch(() => ''),
    ).resolves.not.toMatch(/ id=/);
  });
});

function identityOf(pid: number): string {
  const stat = execFileSync('cat', [`/proc/${pid}/stat`], { encoding: 'utf8' });
  return `pid=${pid} start=${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
}

function isZombie(pid: number): boolean {
  return execFileSync('cat', [`/proc/${pid}/stat`], { encoding: 'utf8' }).includes(') Z ');
}
