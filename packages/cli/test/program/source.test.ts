import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { programSource } from '../../src/cli/program/source.js';
import { browsableUrl } from '../../src/model/text/source-url.js';

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'loopwatch-source-')));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'init.defaultBranch=trunk'];
  return execFileSync('git', [...identity, ...args], { cwd: directory, encoding: 'utf8' }).trim();
}

describe('programSource', () => {
  test('reads version, commit, branch and address from package.json and git', async () => {
    mkdirSync(path.join(directory, 'src'));
    writeFileSync(path.join(directory, 'package.json'), '{"version":"1.3.0"}');
    git('init', '-q');
    git('add', '.');
    git('commit', '-q', '-m', 'x');
    git('remote', 'add', 'origin', 'https://me:secret@example.com/team/app.git');
    expect(await programSource(path.join(directory, 'src'), {})).toEqual({
      programVersion: '1.3.0',
      vcs: {
        repositoryUrl: 'https://example.com/team/app',
        rootDirectory: directory,
        revision: git('rev-parse', 'HEAD'),
        refName: 'trunk',
        isModified: false,
      },
    });
  });

  test('says that tracked files were changed', async () => {
    writeFileSync(path.join(directory, 'a.js'), '1');
    git('init', '-q');
    git('add', '.');
    git('commit', '-q', '-m', 'x');
    writeFileSync(path.join(directory, 'a.js'), '2');
    expect((await programSource(directory, {})).vcs?.isModified).toBe(true);
  });

  test('prefers the attributes of the environment', async () => {
    const env = {
      OTEL_RESOURCE_ATTRIBUTES:
        'service.version=2.0.0,vcs.repository.url.full=https%3A%2F%2Fexample.com%2Fa,vcs.ref.head.revision=abc',
    };
    expect(await programSource(directory, env)).toEqual({
      programVersion: '2.0.0',
      vcs: { repositoryUrl: 'https://example.com/a', revision: 'abc' },
    });
  });

  test('is empty outside of a package and a repository', async () => {
    expect(await programSource(directory, {})).toEqual({});
  });
});

test.each([
  ['git@github.com:owner/name.git', 'https://github.com/owner/name'],
  ['ssh://git@example.com:2222/owner/name.git', 'https://example.com/owner/name'],
  ['https://user:token@example.com:8443/owner/name.git', 'https://example.com:8443/owner/name'],
  ['http://example.com/owner/name/', 'http://example.com/owner/name'],
  ['/srv/git/name.git', undefined],
])('the address of %s is %s', (remote, url) => {
  expect(browsableUrl(remote)).toBe(url);
});
