import { expect, test } from '@jest/globals';

import { sourceUrl } from '../../src/model/text/source-url.js';

const at = (filePath: string, lineNumber = 7): Parameters<typeof sourceUrl>[0] => ({
  functionName: 'f',
  filePath,
  lineNumber,
  columnNumber: 1,
});
const recording = (repositoryUrl: string): Parameters<typeof sourceUrl>[1] => ({
  directory: '/repo/packages/app',
  vcs: { repositoryUrl, rootDirectory: '/repo', revision: 'abc' },
});

test('links to the line at the commit', () => {
  expect(sourceUrl(at('/repo/packages/app/src/a b.js'), recording('https://github.com/o/n'))).toBe(
    'https://github.com/o/n/blob/abc/packages/app/src/a%20b.js#L7',
  );
});

test('uses the form of GitLab there', () => {
  expect(sourceUrl(at('/repo/a.js', 0), recording('https://gitlab.com/o/n'))).toBe(
    'https://gitlab.com/o/n/-/blob/abc/a.js',
  );
});

test.each([['/elsewhere/a.js'], ['node:fs'], ['/repo/node_modules/x/index.js']])('has no link for %s', (file) => {
  expect(sourceUrl(at(file), recording('https://github.com/o/n'))).toBeUndefined();
});

test('has no link without a repository', () => {
  expect(sourceUrl(at('/repo/a.js'), { directory: '/repo' })).toBeUndefined();
});

test.each([['javascript://x/%0aalert(1)'], ['no address'], ['file:///etc']])(
  'has no link to %s, which a recording may have',
  (repositoryUrl) => {
    expect(sourceUrl(at('/repo/a.js'), recording(repositoryUrl))).toBeUndefined();
  },
);

test('has a link for a path with half a character, which cannot be encoded', () => {
  expect(sourceUrl(at('/repo/a\ud800.js'), recording('https://github.com/o/n'))).toBe(
    'https://github.com/o/n/blob/abc/a%EF%BF%BD.js#L7',
  );
});
