import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { licenseOf } from '../../build/third-party-licenses.mjs';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-license-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function makePackage(license: unknown, files: Readonly<Record<string, string>> = { LICENSE: 'Copyright me' }): void {
  const contents = { 'package.json': JSON.stringify({ name: 'x', version: '1.0.0', license }), ...files };
  for (const [name, text] of Object.entries(contents)) writeFileSync(path.join(directory, name), text);
}

describe('the licence of a bundled package', () => {
  test.each(['MIT', 'ISC', 'Apache-2.0', '(MIT OR GPL-3.0-only)', 'GPL-2.0 OR BSD-3-Clause'])(
    'may be %s',
    (license) => {
      makePackage(license);
      expect(licenseOf(directory)).toBe(`x 1.0.0 (${license})\n\nCopyright me\n`);
    },
  );

  test.each([
    'GPL-3.0-only',
    'AGPL-3.0',
    'UNLICENSED',
    'SEE LICENSE IN x',
    'MIT AND GPL-3.0-only',
    undefined,
    { type: 'MIT' },
  ])('fails the build if it is %j', (license) => {
    makePackage(license);
    expect(() => licenseOf(directory)).toThrow(/^Expected a licence among .* of x 1\.0\.0, got /);
  });

  test('comes with its notice', () => {
    makePackage('Apache-2.0', {
      'license.md': 'Licence',
      NOTICE: 'This product includes …',
      'LICENSE-3rdparty.csv': '',
    });
    expect(licenseOf(directory)).toBe('x 1.0.0 (Apache-2.0)\n\nLicence\n\nThis product includes …\n');
  });

  test('fails the build if it has no text', () => {
    makePackage('MIT', {});
    expect(() => licenseOf(directory)).toThrow(
      'Expected a file with the licence of x 1.0.0 in its package, found none.',
    );
  });
});
