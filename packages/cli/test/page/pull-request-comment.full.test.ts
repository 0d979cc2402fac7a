import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { marked } from 'marked';
import type { Page } from 'playwright-core';

import { openPage, takePicture } from '../support/browser.js';
import { expectSuccess, runCli } from '../support/cli.js';
import { writeBuilds } from '../support/compared-builds.js';
import { pageSuite } from '../support/page-suite.js';
import { makeBlock, makeRecording } from '../support/records.js';

const require = createRequire(import.meta.url);
const STYLE = require.resolve('github-markdown-css/github-markdown.css');

const suite = pageSuite();
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-comment-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** Opens what the action writes on a pull request, as a parser of GitHub's Markdown and GitHub's style sheet show it. */
async function openComment(base: readonly string[], head: readonly string[], dark = false): Promise<Page> {
  const markdown = path.join(directory, 'comment.md');
  expectSuccess(await runCli(['compare', ...base, '--with', ...head, '--markdown', markdown]));
  const html = await marked.parse(await readFile(markdown, 'utf8'), { gfm: true });
  const file = path.join(directory, 'comment.html');
  const card = 'max-width: 980px; border: 1px solid #8884; border-radius: 6px; padding: 16px; margin: 16px';
  const style = await readFile(STYLE, 'utf8');
  await writeFile(
    file,
    `<!doctype html><meta charset="utf-8"><style>${style}</style><main class="markdown-body" style="${card}">${html}</main>`,
  );
  const colorScheme = dark ? 'dark' : 'light';
  return (
    await openPage(suite.browser, pathToFileURL(file).href, { colorScheme, viewport: { width: 1020, height: 560 } })
  ).page;
}

test.each([
  ['light', false],
  ['dark', true],
])('the comment is a heading, sentences and a table of what changed, in the %s theme', async (theme, dark) => {
  const { base, head } = await writeBuilds(directory);
  const page = await openComment(base, head, dark);
  expect(await page.locator('h3').allTextContents()).toEqual(['Event loop blocks']);
  const rows = await page
    .locator('tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].slice(0, 2).map((cell) => cell.innerText)));
  expect(rows).toEqual([
    ['new', 'exportRows\nsrc/export/csv.ts:31'],
    ['worse', 'createSpans\nsrc/runs/trace-view.ts:17'],
    ['gone', 'renderInvoice\nsrc/invoices/render.ts:48'],
    ['better', 'hashPassword\nsrc/users/password.ts:12'],
  ]);
  await takePicture(page, `pull-request-comment-${theme}`, { documentation: true });
});

test('names of the program add no markup, row, cell or mention', async () => {
  const hostile = '<img src=x onerror=alert(1)>|**bold**|`code`|@everyone #1 [link](https://evil.example)\n| row |';
  const recordingOf = async (name: string, functionName: string, durationMs: number): Promise<string> => {
    const culprit = { functionName, filePath: `/app/${hostile}.js`, lineNumber: 3, columnNumber: 1 };
    const file = path.join(directory, `${name}.json`);
    await writeFile(file, JSON.stringify(makeRecording([makeBlock({ culprit, request: hostile, durationMs })])));
    return file;
  };
  const base = await Promise.all([1, 2, 3].map((run) => recordingOf(`base-${run}`, 'calm', 200)));
  const head = await Promise.all([1, 2, 3].map((run) => recordingOf(`head-${run}`, hostile, 900)));
  const page = await openComment(base, head);
  expect(await page.locator('tbody tr').count()).toBe(2);
  expect(await page.locator('tbody td').count()).toBe(12);
  expect(await page.locator('img, script, td strong:not(:text-is("new"))').count()).toBe(0);
  expect(await page.locator('a[href*="evil"]').count()).toBe(0);
});
