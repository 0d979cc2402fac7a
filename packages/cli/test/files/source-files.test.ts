import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, realpath, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { readRegularFile } from '../../src/cli/files/regular-file.js';
import {
  anySourceFiles,
  BYTES_PER_ANSWER,
  sourceDirectory,
  type SourceFiles,
  sourceFilesBelow,
  startDirectory,
} from '../../src/cli/files/source-files.js';
import { collectSources } from '../../src/cli/files/source-lines.js';

let root: string;
let app: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'loopwatch-source-')));
  app = path.join(root, 'app');
  await mkdir(app);
  await write('app/a.js', 'one\ntwo');
  await write('secret.js', 'secret');
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function write(name: string, text: string): Promise<string> {
  const file = path.join(root, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

const below = (...names: string[]): SourceFiles => sourceFilesBelow(names.map(sourceDirectory));
const linesOf = (files: SourceFiles, file: string): readonly string[] | undefined =>
  files.lines(file, { bytes: BYTES_PER_ANSWER });

describe('source below a directory', () => {
  test('is shown, through links, too, as long as the file itself is below', async () => {
    await symlink(app, path.join(root, 'link'));
    await symlink('a.js', path.join(app, 'b.js'));
    const files = below(path.join(root, 'link'));
    const shown = ['app/a.js', 'app/b.js', 'link/a.js', 'app/../app/a.js'].map((name) =>
      linesOf(files, `${root}/${name}`),
    );
    expect(shown).toEqual([1, 2, 3, 4].map(() => ['one', 'two']));
  });

  test('is not that of other places, however a path leads there', async () => {
    await symlink(path.join(root, 'secret.js'), path.join(app, 'link.js'));
    await symlink(root, path.join(app, 'up'));
    await symlink('/proc/self/environ', path.join(app, 'environ.js'));
    await symlink('/proc/self/root', path.join(app, 'machine'));
    await write('app-2/a.js', 'sibling');
    const files = below(app);
    const paths = [
      ...['link.js', 'up/secret.js', '../secret.js', '../app-2/a.js', 'environ.js', `machine${root}/secret.js`],
      ...['missing.js', 'a.js/', '', '.'],
    ].map((name) => `${app}/${name}`);
    const others = [
      `${root}/secret.js`,
      `${root}/app-2/a.js`,
      'a.js',
      'app/a.js',
      `file://${app}/a.js`,
      `${app}\0/a.js`,
    ];
    expect([...paths, ...others].filter((file) => linesOf(files, file) !== undefined)).toEqual([]);
  });

  test('is not what has another ending or is hidden, by its real name', async () => {
    const key = await write('app/id_rsa', 'key');
    await symlink(key, path.join(app, 'key.js'));
    const hidden = ['app/.env.js', 'app/.git/hooks/a.js', 'app/.ssh/x/a.js', 'app/b.json', 'app/.js', 'app/c.js.map'];
    for (const name of hidden) await write(name, 'hidden');
    const code = ['app/.next/server/a.js', 'app/node_modules/.pnpm/x/a.mjs', 'app/src/a.vue'];
    for (const name of code) await write(name, 'code');
    const files = below(app);
    expect([...hidden, 'app/key.js'].filter((name) => linesOf(files, path.join(root, name)))).toEqual([]);
    expect(code.filter((name) => linesOf(files, path.join(root, name)))).toEqual(code);
  });

  test('is a regular file of a bounded size: nothing waits for a FIFO', async () => {
    execFileSync('mkfifo', [path.join(app, 'fifo.js')]);
    await mkdir(path.join(app, 'directory.js'));
    await write('app/large.js', 'x'.repeat(3 * 1024 * 1024));
    for (const files of [below(app), anySourceFiles()]) {
      expect(['fifo.js', 'directory.js', 'large.js'].filter((name) => linesOf(files, path.join(app, name)))).toEqual(
        [],
      );
    }
  });

  test('is not read from a file that has taken its place', async () => {
    const secret = path.join(root, 'secret.js');
    const file = path.join(app, 'sub/a.js');
    await write('app/sub/a.js', 'shown');
    await write('other/a.js', 'secret');
    const replacements = [
      () => {
        execFileSync('ln', ['-sfn', secret, file]);
      },
      () => {
        execFileSync('sh', ['-c', `mv ${app}/sub ${app}/old && ln -s ${root}/other ${app}/sub`]);
      },
    ];
    for (const replace of replacements) {
      expect(
        readRegularFile(file, 1_000, () => {
          replace();
          return true;
        }),
      ).toBeUndefined();
      await unlink(file).catch(() => undefined);
      await writeFile(file, 'shown');
    }
  });

  test('is read again once it has changed', async () => {
    const files = below(app);
    expect(linesOf(files, `${app}/a.js`)).toEqual(['one', 'two']);
    await rename(await write('app/new.js', 'new'), `${app}/a.js`);
    expect(linesOf(files, `${app}/a.js`)).toEqual(['new']);
    await link(path.join(root, 'secret.js'), `${app}/hard.js`);
    await unlink(`${app}/a.js`);
    expect(linesOf(files, `${app}/a.js`)).toBeUndefined();
  });

  test('one answer reads so much from the disk, and no more', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `app/large-${index}.js`);
    for (const name of names) await write(name, 'x'.repeat(1_900_000));
    const files = below(app);
    const read = (): number => {
      const budget = { bytes: BYTES_PER_ANSWER };
      return names.filter((name) => files.lines(path.join(root, name), budget)).length;
    };
    // What was read stays, up to a limit, so that a later answer reads the others.
    expect([read() < 6, read() < 9]).toEqual([true, true]);
  });

  test('a directory that is none is an error, and the root of the file system no start', () => {
    expect(() => sourceDirectory(`${app}/a.js`)).toThrow(`Expected a directory as --source, got ${app}/a.js.`);
    expect(() => sourceDirectory(`${app}/missing`)).toThrow(/^Expected a directory as --source/);
    expect([startDirectory('/'), startDirectory(`${app}/missing`), startDirectory(app)]).toEqual([
      [],
      [],
      [{ given: app, real: app }],
    ]);
  });
});

describe('the lines of a stack', () => {
  const culpritAt = (lineNumber: number) => ({
    culprit: { functionName: 'f', filePath: path.join(app, 'a.js'), lineNumber, columnNumber: 1 },
  });

  test.each([2 ** 53, 2 ** 53 - 1, Number.MAX_VALUE, Infinity, -1, NaN, 1.5, 0])('a line %d ends no loop', (line) => {
    expect(collectSources([culpritAt(line)], below(app))).toEqual({});
  });

  test('numbers of a stack and of the lines of a block are read like that, too', () => {
    const stackTrace = `    at f (${app}/a.js:9007199254740993:1)\n    at g (${app}/a.js:2:1)`;
    const lines = '9007199254740990 5\n1 5';
    expect(collectSources([{ stackTrace }], below(app))).toEqual({ [`${app}/a.js`]: { 2: 'two' } });
    expect(collectSources([{ ...culpritAt(2 ** 53), lines }], below(app))).toEqual({
      [`${app}/a.js`]: { 1: 'one', 2: 'two' },
    });
  });
});
