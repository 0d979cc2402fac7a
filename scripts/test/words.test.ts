import { describe, expect, test } from '@jest/globals';
import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';

import { MAX_WORDS, pageWords, plainWords, sentenceLength } from '../lint/words/rules.mjs';

const kernel = new TextlintKernel();

async function messagesOf(text: string): Promise<readonly string[]> {
  const { messages } = await kernel.lintText(text, {
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
    rules: [
      { ruleId: 'sentence-length', rule: sentenceLength },
      { ruleId: 'plain-words', rule: plainWords },
    ],
  });
  return messages.map(({ loc, message }) => `${loc.start.line}: ${message}`);
}

const long = `${'word '.repeat(MAX_WORDS)}end.`;
const tooLong = `Expected a sentence of at most ${MAX_WORDS} words, got ${MAX_WORDS + 1}. Make two of it.`;

describe('the length of sentences', () => {
  test.each([
    ['a paragraph', `# A\n\n${long}`, 3],
    ['an item of a list', `- ${long}`, 1],
    ['a cell of a table', `| a | b |\n| --- | --- |\n| c | ${long} |`, 3],
  ])('a long one is found in %s', async (_where, text, line) => {
    expect(await messagesOf(text)).toEqual([`${line}: ${tooLong}`]);
  });

  test.each([
    ['two sentences', `${'word '.repeat(MAX_WORDS - 1)}end. ${'word '.repeat(MAX_WORDS - 1)}end.`],
    ['code, which is one word', `${'word '.repeat(MAX_WORDS - 1)}\`${'code '.repeat(20)}\`.`],
    ['a block of code', `\`\`\`\n${long}\n\`\`\``],
    ['the name of a test, which is what it is', `A. [${long.slice(0, -1)}](a.test.ts)`],
    ['the name of a file with the anchor of a test', `A. [${long.slice(0, -1)}](a.test.ts#b)`],
  ])('nothing is found in %s', async (_what, text) => {
    expect(await messagesOf(text)).toEqual([]);
  });
});

test('the words of a page are those with a letter or a number', () => {
  expect(pageWords('# A page\n\n| a | `b c` |\n| --- | --- |\n| 1 | – |')).toBe(6);
});

test('a word that has a plainer one is found, with its line, and not in code', async () => {
  expect(await messagesOf('A block.\nSomebody waits `in order to` go on.')).toEqual([
    '2: Instead of "Somebody": a person, another request, another program.',
  ]);
});
