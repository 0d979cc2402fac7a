import { describe, expect, test } from '@jest/globals';

import { askedOften } from '../commands/test-long.mjs';
import { splitArguments } from '../jest/run-tests.mjs';
import { allTestFiles, isInTier, isNamed, readTestName, type Tier } from '../jest/test-files.mjs';

describe('the name of a test file', () => {
  test.each<[string, Tier[]]>([
    ['packages/x/test/lag.test.ts', ['inner', 'full']],
    ['packages/x/test/lag.integration.test.ts', ['inner', 'full']],
    ['packages/x/test/lag.full.test.ts', ['full']],
    ['packages/x/test/lag.long.test.ts', ['long']],
    ['packages/x/test/page/report.integration.test.ts', ['full']],
    ['packages/e2e/test/demo.test.ts', []],
    ['packages/e2e/test/kubernetes/injection.test.ts', []],
  ])('%s is in the tiers %j', (file, tiers) => {
    const all: Tier[] = ['inner', 'full', 'long'];
    expect(all.filter((tier) => isInTier(readTestName(file), tier))).toEqual(tiers);
  });

  test('says that the test needs a calm machine', () => {
    expect(readTestName('packages/x/test/lag.calm.full.test.ts')).toMatchObject({ kind: 'full', needsCalm: true });
    expect(readTestName('packages/x/test/lag.full.test.ts')).toMatchObject({ kind: 'full', needsCalm: false });
    expect(() => readTestName('packages/x/test/lag.calm.test.ts')).toThrow('after "calm"');
  });

  test('says that its programs mostly wait', () => {
    expect(readTestName('packages/x/test/ps.waiting.full.test.ts')).toMatchObject({ kind: 'full', mostlyWaits: true });
    expect(readTestName('packages/x/test/waiting.full.test.ts')).toMatchObject({ kind: 'full', mostlyWaits: false });
    expect(() => readTestName('packages/x/test/ps.waiting.test.ts')).toThrow('after "waiting"');
  });

  test('can be given in part, in upper or lower case', () => {
    const file = readTestName('packages/x/test/Lag.test.ts');
    expect(isNamed(file, ['other', 'x/test/lag'])).toBe(true);
    expect(isNamed(file, ['other'])).toBe(false);
  });
});

test.each(askedOften)('%s, which the long tier runs with many questions a second, names a test file', (part) => {
  expect(allTestFiles().some((file) => isNamed(file, [part]))).toBe(true);
});

test('arguments before the first option name files; the rest is for Jest', () => {
  expect(splitArguments(['lag', 'hangs', '-t', 'words'])).toEqual({
    fragments: ['lag', 'hangs'],
    jestArguments: ['-t', 'words'],
  });
  expect(splitArguments(['lag'])).toEqual({ fragments: ['lag'], jestArguments: [] });
});

test('every test file of the workspace is in a tier or an end-to-end test', () => {
  const files = allTestFiles();
  expect(files.map(({ file }) => file)).toContain('scripts/test/test-files.test.ts');
  const isElsewhere = ({ kind }: { readonly kind: string }): boolean => kind === 'e2e' || kind === 'kubernetes';
  expect(files.filter((file) => !isElsewhere(file) && !isInTier(file, 'full') && !isInTier(file, 'long'))).toEqual([]);
});
