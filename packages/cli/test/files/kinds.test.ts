import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { withKinds } from '../../src/cli/files/kinds.js';
import { anySourceFiles } from '../../src/cli/files/source-files.js';
import type { Block } from '../../src/model/types.js';
import { makeBlock } from '../support/records.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-kinds-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** A block in which most samples were taken in a search of the last line of the file. */
async function blockIn(name: string, ...lines: string[]): Promise<Block> {
  const filePath = path.join(directory, name);
  if (lines.length > 0) await writeFile(filePath, lines.join('\n'));
  const culprit = { functionName: 'slow', filePath, lineNumber: lines.length || 3, columnNumber: 1 };
  return makeBlock({ culprit, profile: 'main;slow;Array.find;isOwn 600\nmain;slow 300' });
}

test('the kind of a block is read from the source, and is a guess without it', async () => {
  const body = Array.from({ length: 12 }, () => '  count++;');
  const blocks = [
    await blockIn('scan.js', 'for (const log of logs) {', ...body, '  logs.find(isOwn);'),
    await blockIn('parse.js', 'for (const log of logs) {', '  JSON.parse(text);', ...body, '  first.find(isOwn);'),
    await blockIn('of-a-container.js'),
  ];
  expect(withKinds(blocks, anySourceFiles()).map(({ kind, kindIsGuess }) => [kind, kindIsGuess])).toEqual([
    ['nested-scan', undefined],
    [null, undefined],
    ['nested-scan', true],
  ]);
});
