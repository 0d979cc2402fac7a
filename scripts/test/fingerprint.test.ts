import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { outputFingerprint, sourceFingerprint } from '../lib/fingerprint.mjs';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-fingerprint-'));
  write('src/index.ts', 'export const one = 1;');
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function write(file: string, text: string): void {
  const target = path.join(directory, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
}

describe('the fingerprint of sources', () => {
  test('changes with the content of a file, and back', () => {
    const before = sourceFingerprint(directory);
    write('src/index.ts', 'export const one = 2;');
    expect(sourceFingerprint(directory)).not.toBe(before);
    write('src/index.ts', 'export const one = 1;');
    expect(sourceFingerprint(directory)).toBe(before);
  });

  test('changes with a new file', () => {
    const before = sourceFingerprint(directory);
    write('src/empty.ts', '');
    expect(sourceFingerprint(directory)).not.toBe(before);
  });

  test.each(['test/index.test.ts', 'dist/index.mjs', 'node_modules/x/index.js'])('does not see %s', (file) => {
    const before = sourceFingerprint(directory);
    write(file, 'anything');
    expect(sourceFingerprint(directory)).toBe(before);
  });
});

describe('the fingerprint of the output', () => {
  test('changes when somebody builds again', () => {
    const file = path.join(directory, 'src/index.ts');
    utimesSync(file, 1000, 1000);
    const before = outputFingerprint(directory);
    utimesSync(file, 2000, 2000);
    expect(outputFingerprint(directory)).not.toBe(before);
  });

  test('of a folder that is not there is not that of an empty one', () => {
    mkdirSync(path.join(directory, 'empty'));
    expect(outputFingerprint(path.join(directory, 'absent'))).not.toBe(
      outputFingerprint(path.join(directory, 'empty')),
    );
  });
});
