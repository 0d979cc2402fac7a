import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { adviceText, CULPRIT_KINDS } from '../../src/model/advice/culprit-kind.js';
import { expectSuccess, fixture, runCli } from '../support/cli.js';

const docs = path.resolve(import.meta.dirname, '../../../../docs/culprits');

async function lastLines(kind: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const result = await runCli(['run', '--', 'node', fixture(`culprits/${kind}.cjs`)], { env: environment });
  expectSuccess(result);
  const { stderr } = result;
  return stderr;
}

const linked = 'is linked in the sentence of that program, and no longer after the fix';

describe('the page', () => {
  test.each(CULPRIT_KINDS)('on %s shows the program that this test runs', async (kind) => {
    const program = await readFile(fixture(`culprits/${kind}.cjs`), 'utf8');
    const text = await readFile(path.join(docs, `${kind}.md`), 'utf8');
    // The page leaves out what only sets the scene: each function of the program stands in it as it is.
    for (const [code] of program.matchAll(/^(?:async )?function\*? [^]*?^}$/gm)) expect(text).toContain(code);
    for (const heading of ['What it looks like', 'Why it blocks', 'How to fix it', 'What it looks like afterwards'])
      expect(text).toContain(`\n## ${heading}\n`);
  });

  test.concurrent.each(CULPRIT_KINDS)(`on %s ${linked}`, async (kind) => {
    expect(await lastLines(kind, {})).toContain(adviceText({ kind, isGuess: false }));
    expect(await lastLines(kind, { FIXED: '1' })).not.toMatch(/Looks like|May be/);
  });
});
