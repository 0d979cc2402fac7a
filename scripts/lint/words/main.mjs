// `node scripts/lint/words/main.mjs`: the rules of rules.mjs for every page that is written by hand.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';

import { rootDirectory } from '../../lib/paths.mjs';
import { MAX_PAGE_WORDS, pageWords, plainWords, sentenceLength } from './rules.mjs';

/** Written by programs: their sources are checked where they are Markdown. */
const GENERATED = new Set(
  ['accuracy', 'attach-accuracy', 'attach', 'pipeline-load', 'ablation', 'field', 'benchmarks']
    .map((name) => `docs/evidence/${name}.md`)
    .concat('docs/conventions.md'),
);

const documents = readdirSync(path.join(rootDirectory, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name.replaceAll(path.sep, '/')}`)
  .filter((name) => !GENERATED.has(name))
  .sort();
const files = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'packages/instrumentation-event-loop/README.md',
  'packages/cli/README.md',
  'packages/demo/README.md',
  ...documents,
];

const kernel = new TextlintKernel();
const options = {
  ext: '.md',
  plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
  rules: [
    { ruleId: 'sentence-length', rule: sentenceLength },
    { ruleId: 'plain-words', rule: plainWords },
  ],
};

const messages = await Promise.all(
  files.map(async (file) => {
    const text = withoutGenerated(readFileSync(path.join(rootDirectory, file), 'utf8'));
    const result = await kernel.lintText(text, { ...options, filePath: file });
    const words = file.startsWith('docs/evidence/') ? 0 : pageWords(text);
    return [
      ...result.messages.map(({ loc, message, ruleId }) => `${file}:${loc.start.line}: ${message} (${ruleId})`),
      ...(words > MAX_PAGE_WORDS ? [`${file}: Expected at most ${MAX_PAGE_WORDS} words, got ${words}.`] : []),
    ];
  }),
);
for (const message of messages.flat()) console.error(message);
if (messages.flat().length > 0) process.exitCode = 1;
else console.log(`${files.length} pages, no sentence and no page too long.`);

/**
 * Tables that are made of the registry have their own place to mend; the lines keep their numbers.
 * @param {string} text
 */
function withoutGenerated(text) {
  return text.replaceAll(/(<!-- generated: [\w ]+ -->\n).*?(?=<!-- end of generated -->)/gs, (part) =>
    part.replaceAll(/[^\n]/g, ''),
  );
}
