import {
  chmod,
  chown,
  lchown,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { prepareOutputFile } from '../../src/cli/files/output-file.js';
import { prepareFiles } from '../../src/cli/files/prepare-files.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch output '));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

const inDirectory = (...names: string[]): string => path.join(directory, ...names);

describe('an output file that cannot be written', () => {
  test.each([
    [
      'in a directory that does not exist',
      () => inDirectory('no', 'a.json'),
      /does not exist\. Create it first: mkdir -p '/,
    ],
    ['that is a directory', () => directory, /this is a directory\. Give the path of a file in it\.$/],
    ['below a file', () => inDirectory('file', 'a.json'), /file is not a directory/],
    ['of an empty path', () => '', /the path is empty/],
    [
      'of a dash, which is no output here',
      () => '-',
      /standard output is \/dev\/stdout here, and a file of that name \.\/-$/,
    ],
  ])('%s is refused', async (_which, name, message) => {
    await writeFile(inDirectory('file'), '');
    await expect(prepareOutputFile('--json', name())).rejects.toThrow(message);
    await expect(prepareOutputFile('--json', name())).rejects.toThrow(/^Cannot write --json /);
  });

  // Neither root nor anybody else can create a file there.
  (process.platform === 'linux' ? test : test.skip)('in a directory that takes none is refused', async () => {
    await expect(prepareOutputFile('--report', '/proc/a.html')).rejects.toThrow(
      /^Cannot write --report \/proc\/a\.html: no file can be created in \/proc \(E\w+\)\. Give a path in another directory\.$/,
    );
  });

  test('is refused if another option names it too', async () => {
    const report = inDirectory('a.html');
    await expect(prepareFiles({ report, json: path.relative('', report) })).rejects.toThrow(
      /^--json and --report name the same file/,
    );
  });
});

describe('an output file', () => {
  test('does not exist, or keeps what is in it, until it is written', async () => {
    await writeFile(inDirectory('old.json'), 'old');
    const files = [
      await prepareOutputFile('--json', inDirectory('old.json')),
      await prepareOutputFile('--json', inDirectory('new.json')),
    ];
    expect(await readdir(directory)).toEqual(['old.json']);
    expect(await readFile(inDirectory('old.json'), 'utf8')).toBe('old');
    for (const file of files) await file.write('new');
    expect((await readdir(directory)).sort()).toEqual(['new.json', 'old.json']);
    expect(await readFile(inDirectory('old.json'), 'utf8')).toBe('new');
  });

  test('keeps its permissions, and a link to it stays a link', async () => {
    await mkdir(inDirectory('real'));
    await writeFile(inDirectory('real', 'a.json'), 'old');
    await chmod(inDirectory('real', 'a.json'), 0o640);
    await symlink(inDirectory('real', 'a.json'), inDirectory('link.json'));
    await (await prepareOutputFile('--json', inDirectory('link.json'))).write('new');
    expect(await readlink(inDirectory('link.json'))).toBe(inDirectory('real', 'a.json'));
    expect(await readFile(inDirectory('real', 'a.json'), 'utf8')).toBe('new');
    expect((await stat(inDirectory('real', 'a.json'))).mode & 0o777).toBe(0o640);
  });

  test('that is new is for this user alone', async () => {
    await (await prepareOutputFile('--json', inDirectory('new.json'))).write('new');
    expect((await stat(inDirectory('new.json'))).mode & 0o777).toBe(0o600);
  });

  const asRoot = process.getuid?.() === 0 ? test : test.skip;

  asRoot('of another user is replaced by one for this user alone', async () => {
    await writeFile(inDirectory('other.json'), 'old', { mode: 0o666 });
    await chown(inDirectory('other.json'), 65_534, 65_534);
    await (await prepareOutputFile('--json', inDirectory('other.json'))).write('new');
    const { mode, uid } = await stat(inDirectory('other.json'));
    expect([mode & 0o777, uid]).toEqual([0o600, 0]);
  });

  asRoot.each(['link', 'file'])(
    'that another user has put into a directory of all users is refused: a %s',
    async (kind) => {
      await chmod(directory, 0o1777);
      await writeFile(inDirectory('mine'), 'mine');
      const planted = inDirectory('out.json');
      await (kind === 'link' ? symlink(inDirectory('mine'), planted) : writeFile(planted, 'old', { mode: 0o666 }));
      await lchown(planted, 65_534, 65_534);
      await expect(prepareOutputFile('--json', planted)).rejects.toThrow(
        /it belongs to another user, in a directory that all/,
      );
      expect(await readFile(inDirectory('mine'), 'utf8')).toBe('mine');
      await lchown(planted, 0, 0);
      await (await prepareOutputFile('--json', planted)).write('new');
      expect(await readFile(planted, 'utf8')).toBe('new');
    },
  );

  test('leaves nothing half written when writing fails, and the message names it', async () => {
    await mkdir(inDirectory('out'));
    const name = inDirectory('out', 'a.json');
    const file = await prepareOutputFile('--json', name);
    await rm(inDirectory('out'), { recursive: true });
    await writeFile(inDirectory('out'), '');
    await expect(file.write('new')).rejects.toThrow(/^Cannot write .*a\.json: E/);
    expect(await readdir(directory)).toEqual(['out']);
    await rm(inDirectory('out'));
    // A directory in its place cannot be replaced by a file.
    await mkdir(name, { recursive: true });
    await expect(file.write('new')).rejects.toThrow(/^Cannot write .*a\.json: /);
    expect(await readdir(inDirectory('out'))).toEqual(['a.json']);
  });

  test('is written although the program has removed its directory', async () => {
    await mkdir(inDirectory('coverage'));
    const file = await prepareOutputFile('--json', inDirectory('coverage', 'a.json'));
    await rm(inDirectory('coverage'), { recursive: true });
    await file.write('new');
    expect(await readFile(inDirectory('coverage', 'a.json'), 'utf8')).toBe('new');
  });

  (process.platform === 'win32' ? test.skip : test)('may be a device', async () => {
    await (await prepareOutputFile('--json', '/dev/null')).write('new');
    expect((await stat('/dev/null')).isFile()).toBe(false);
  });
});

describe('an output file that is a descriptor of this process', () => {
  test.each(['/dev/fd/', ...(process.platform === 'linux' ? ['/proc/self/fd/'] : [])])(
    'is written behind what is there, and not replaced: %s',
    async (prefix) => {
      await writeFile(inDirectory('log'), 'old\n');
      const log = await open(inDirectory('log'), 'a');
      await symlink(`${prefix}${log.fd}`, inDirectory('link'));
      await symlink(prefix, inDirectory('descriptors'));
      const names = [`${prefix}${log.fd}`, inDirectory('link'), inDirectory('descriptors', String(log.fd))];
      for (const name of names) {
        await log.write('own\n');
        await (await prepareOutputFile('--json', name)).write('new\n');
      }
      await log.close();
      expect(await readFile(inDirectory('log'), 'utf8')).toBe(`old\n${'own\nnew\n'.repeat(3)}`);
    },
  );

  test('is refused if it is not open for writing', async () => {
    await writeFile(inDirectory('log'), 'old');
    const log = await open(inDirectory('log'), 'r');
    const name = `/dev/fd/${log.fd}`;
    await expect(prepareOutputFile('--json', name)).rejects.toThrow(
      /^Cannot write --json \/dev\/fd\/(\d+): descriptor \1 is not open for writing \(EBADF\)/,
    );
    await log.close();
    await expect(prepareOutputFile('--json', name)).rejects.toThrow(/is not open for writing \(EBADF\)/);
  });
});
