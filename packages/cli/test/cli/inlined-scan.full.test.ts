import { expect, test } from '@jest/globals';

import { adviceText, kindName } from '../../src/model/advice/culprit-kind.js';
import { expectSuccess, fixture, runCli } from '../support/cli.js';

async function summaryOf(...programArguments: readonly string[]): Promise<string> {
  const result = await runCli(['run', '--', 'node', fixture('inlined-scan.cjs'), ...programArguments]);
  expectSuccess(result);
  const { stderr } = result;
  return stderr;
}

test('a search in a loop leads to its page, also where V8 has inlined it', async () => {
  const summary = await summaryOf();
  expect(summary).toContain('createSpans');
  expect(summary).toContain(adviceText({ kind: 'nested-scan', isGuess: false }));
});

test('a search beside the call that takes the time does not', async () => {
  const summary = await summaryOf('parse');
  expect(summary).toContain('parseSpans');
  expect(summary).not.toContain(kindName('nested-scan'));
});
