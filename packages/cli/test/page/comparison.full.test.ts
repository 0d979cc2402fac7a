import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';

import { comparisonHtml } from '../../src/cli/files/report.js';
import { type ComparedRecording, compareRecordings } from '../../src/model/compare/comparison.js';
import { createComparisonReport } from '../../src/model/compare/comparison-report.js';
import type { Block } from '../../src/model/types.js';
import { accessibilityProblems, openPage, takePicture } from '../support/browser.js';
import { fixture, runCli } from '../support/cli.js';
import { writeBuilds } from '../support/compared-builds.js';
import { pageSuite } from '../support/page-suite.js';
import { makeBlock } from '../support/records.js';

const PAGE_FILE = new URL('../../dist/page.html', import.meta.url);

const suite = pageSuite();
let directory: string;
/** The report of a service with 5 recordings of the old build and 3 of the new one. */
let url: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-comparison-'));
  const { base, head } = await writeBuilds(directory);
  url = await compare('service', base, head);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function compare(name: string, base: readonly string[], head: readonly string[]): Promise<string> {
  const file = path.join(directory, `${name}.html`);
  const { code, stderr } = await runCli(['compare', ...base, '--with', ...head, '--report', file]);
  expect([code, stderr]).toEqual([0, `loopwatch Report: ${pathToFileURL(file).href}\n`]);
  return pathToFileURL(file).href;
}

const frame = (page: Page, name: string): Locator => page.locator('.flame .frame', { hasText: name }).first();
const widthOf = async (which: Locator): Promise<number> => (await which.boundingBox())!.width;
const rowTexts = async (page: Page): Promise<string[]> =>
  page.locator('.compared tbody tr').evaluateAll((rows) => rows.map((row) => row.textContent));
/** Where the keyboard is. */
const focused = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);

describe('the report of a comparison', () => {
  test.each(['light', 'dark'] as const)('works offline and is accessible in the %s theme', async (colorScheme) => {
    for (const width of [390, 1_440]) {
      const { page, consoleErrors } = await openPage(suite.browser, url, {
        colorScheme,
        offline: true,
        viewport: { width, height: 900 },
      });
      await frame(page, 'createSpans').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      // What is wider than the window scrolls within its card.
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await takePicture(page, `comparison-${colorScheme}-${width}`, { height: width === 390 ? 1_500 : 900 });
      if (width === 1_440) await takePicture(page, `comparison-${colorScheme}`, { height: 1_000, documentation: true });
      expect(consoleErrors).toEqual([]);
    }
  });

  test('has the sentence, and before, after, change and verdict of each culprit', async () => {
    const { page } = await openPage(suite.browser, url);
    await page
      .locator('.sentence')
      .getByText(/^exportRows \(src\/export\/csv\.ts:31\) took \d+ % of the blocked time: .* New in 1\.3\.0\./)
      .waitFor();
    expect(await page.locator('.subject').textContent()).toBe(
      'Comparison of 5 runs of 1.2.0 (a1b2c3d) with 3 runs of 1.3.0 (d4e5f6a)',
    );
    expect(await rowTexts(page)).toEqual([
      expect.stringMatching(
        /^newexportRows.*0 µs483 ms\+483 msonly afterin 3 of 3 runs, before in 0 of 5; p = 0\.018$/,
      ),
      expect.stringMatching(/^worsecreateSpans.*421 ms1\.86 s\+1\.44 s\+343 %/),
      expect.stringMatching(/^gonerenderInvoice.*351 ms0 µs−351 msonly before/),
      expect.stringMatching(/^betterhashPassword.*521 ms232 ms−290 ms−56 %/),
      expect.stringMatching(/^samevalidateTask/),
      expect.stringMatching(/^samesendMail/),
    ]);
    expect(await page.getByRole('link', { name: 'csv.ts:31' }).getAttribute('href')).toBe(
      'https://github.com/acme/orders/blob/d4e5f6a7b8/src/export/csv.ts#L31',
    );
    await page.getByRole('button', { name: 'Change' }).click();
    expect((await rowTexts(page))[0]).toMatch(/^worsecreateSpans/);
  });
});

describe('the flame graph of the change', () => {
  test('colours what blocks for more and for less, and says it in words', async () => {
    const { page } = await openPage(suite.browser, url);
    for (const [name, level, words] of [
      ['createSpans', 'more-3', '+343 %'],
      ['exportRows', 'more-3', 'only after'],
      ['hashPassword', 'less-2', '−56 %'],
      ['validateTask', 'same', ''],
    ] as const) {
      await frame(page, name).waitFor();
      expect(await frame(page, name).getAttribute('class')).toBe(`frame ${level}`);
      expect(await frame(page, name).textContent()).toContain(words);
    }
    expect(await frame(page, 'createSpans').getAttribute('aria-label')).toBe(
      'createSpans:17 +343 %, 421 ms → 1.86 s a run, +1.44 s, +343 %',
    );
    await frame(page, 'createSpans').hover();
    expect(await page.locator('.flame-info').textContent()).toBe(
      'createSpans421 ms → 1.86 s a run+1.44 s+343 %src/runs/trace-view.ts:17',
    );
    // In a colour of its own, in each theme.
    const colorOf = (name: string): Promise<string> =>
      frame(page, name).evaluate((element) => getComputedStyle(element).backgroundColor);
    for (const theme of ['Dark theme', 'Light theme']) {
      const colors = await Promise.all(['createSpans', 'hashPassword', 'validateTask'].map(colorOf));
      expect(new Set(colors).size).toBe(3);
      await page.getByRole('button', { name: theme }).click();
    }
  });

  test('gives frames the width of the new build, or of the old one', async () => {
    const { page } = await openPage(suite.browser, url);
    await frame(page, 'createSpans').waitFor();
    expect(await frame(page, 'renderInvoice').count()).toBe(0);
    const after = await widthOf(frame(page, 'createSpans'));
    await page.getByRole('group', { name: 'Width of the frames' }).getByRole('button', { name: 'Before' }).click();
    await frame(page, 'renderInvoice').waitFor();
    expect(await frame(page, 'exportRows').count()).toBe(0);
    expect(await frame(page, 'renderInvoice').textContent()).toContain('only before');
    expect(await widthOf(frame(page, 'createSpans'))).toBeLessThan(after / 2);
  });

  test('is searched, reversed, zoomed and walked through by keyboard', async () => {
    const { page } = await openPage(suite.browser, url);
    await frame(page, 'createSpans').waitFor();
    await page.getByRole('searchbox', { name: 'Search the flame graph' }).fill('trace-view');
    expect(await page.locator('.flame-controls .found').textContent()).toBe('421 ms → 1.86 s a run, +1.44 s, +343 %');
    expect(await page.locator('.frame.marked').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining('createSpans')]),
    );
    await page.getByRole('searchbox', { name: 'Search the flame graph' }).fill('');

    await page.getByRole('button', { name: 'Reversed' }).press('Enter');
    await page.locator('.flame .frame').nth(1).waitFor();
    await page.locator('.flame .frame[tabindex="0"]').focus();
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toMatch(/^<anonymous trace-view\.ts> \+342 %, 295 ms → 1\.30 s a run, /);
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toMatch(/^Array\.find \+342 %, /);

    await page.getByRole('button', { name: 'Reversed' }).press('Enter');
    await frame(page, 'exportRows').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Zoom out' }).waitFor();
    expect(await widthOf(frame(page, 'exportRows'))).toBeCloseTo(await widthOf(page.locator('.flame')), 0);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Zoom out' }).waitFor({ state: 'detached' });
  });

  test('is as it was after a reload: width, order of the table, zoom', async () => {
    const { page } = await openPage(suite.browser, url);
    await page.locator('.compared').getByRole('button', { name: 'After' }).click();
    await page.getByRole('group', { name: 'Width of the frames' }).getByRole('button', { name: 'Before' }).click();
    await frame(page, 'renderInvoice').click();
    await page.getByRole('button', { name: 'Zoom out' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Zoom out' }).waitFor();
    expect(await widthOf(frame(page, 'renderInvoice'))).toBeCloseTo(await widthOf(page.locator('.flame')), 0);
    expect((await rowTexts(page))[0]).toMatch(/^worsecreateSpans/);
    // The frame has no width in the new build: all is shown.
    await page.getByRole('group', { name: 'Width of the frames' }).getByRole('button', { name: 'After' }).click();
    await frame(page, 'exportRows').waitFor();
    expect(await page.getByRole('button', { name: 'Zoom out' }).count()).toBe(0);
  });

  test('marks the culprit that is selected in the table', async () => {
    const { page } = await openPage(suite.browser, url);
    await page.locator('.compared').getByRole('button', { name: 'hashPassword' }).click();
    expect(await page.locator('.frame.marked').allTextContents()).toEqual(['hashPassword:12 −56 %']);
    await page.locator('.compared').getByRole('button', { name: 'hashPassword' }).click();
    expect(await page.locator('.frame.marked').count()).toBe(0);
  });
});

describe('the report of two real runs', () => {
  test('shows the new function and where it was called, also where the old build has no blocks', async () => {
    const record = async (name: string, program: string, env = {}): Promise<string> => {
      const file = path.join(directory, `${name}.json`);
      await runCli(['run', '--quiet', '--json', file, '--', 'node', fixture(program)], { env });
      return file;
    };
    const fresh = await record('new', 'build.cjs', { BUILD: 'new' });
    const quiet = await record('quiet', 'quiet.cjs');
    const { page, consoleErrors } = await openPage(suite.browser, await compare('real', [quiet], [fresh]));
    await frame(page, 'addedInNew').waitFor();
    expect(await frame(page, 'addedInNew').textContent()).toContain('only after');
    await page.locator('.notices').getByText('Too few runs to tell a change from noise').waitFor();
    // Without blocks in the old build, nothing can have its width.
    expect(await page.getByRole('group', { name: 'Width of the frames' }).count()).toBe(0);

    const { page: gone } = await openPage(suite.browser, await compare('gone', [fresh], [quiet]));
    expect(await frame(gone, 'addedInNew').textContent()).toContain('only before');
    const { page: none } = await openPage(suite.browser, await compare('none', [quiet], [quiet]));
    await none.getByText('No blocks in either build.').waitFor();
    expect(await accessibilityProblems(none)).toEqual([]);
    expect(consoleErrors).toEqual([]);
  });

  test('of ten runs with 5,000 blocks each is smaller than 4 MiB', async () => {
    const runs = (functions: number): ComparedRecording[] =>
      Array.from({ length: 5 }, () => ({
        command: ['node', 'app.js'],
        directory: '/app',
        durationMs: 600_000,
        thresholdMs: 100,
        exit: { code: 0 },
        processes: [],
        droppedBlocks: 0,
        blocks: Array.from({ length: 5_000 }, (_, index) => blockOf(index, functions)),
      }));
    const [base, head] = [runs(40), runs(60)];
    const report = createComparisonReport(compareRecordings(base, head), base, head, '0.1.0');
    const html = await comparisonHtml(report, PAGE_FILE);
    expect(html.length).toBeLessThan(4 * 1024 * 1024);
    const file = path.join(directory, 'large.html');
    await writeFile(file, html);
    const { page, consoleErrors } = await openPage(suite.browser, pathToFileURL(file).href);
    await page.locator('.flame .frame').nth(60).waitFor();
    await page.getByRole('button', { name: 'Show all 60 culprits' }).click();
    expect(await page.locator('.compared tbody tr').count()).toBe(60);
    expect(consoleErrors).toEqual([]);
  });

  test('loads no other file', async () => {
    const html = await readFile(new URL(url), 'utf8');
    expect(html.match(/(src|href)="(?!data:)[^"]+"/g)).toBeNull();
    expect(html).toContain("default-src 'none'");
  });
});

/** A block of one of so many functions, with stacks as deep as those of a framework. */
function blockOf(index: number, functions: number): Block {
  const name = `f${index % functions}`;
  const callers = Array.from({ length: 40 }, (_, depth) => `caller${depth}`);
  const culprit = { functionName: name, filePath: `/app/${name}.js`, lineNumber: 1, columnNumber: 1 };
  return makeBlock({
    id: `b${index}`,
    durationMs: 100 + (index % 17),
    culprit,
    profile: `${callers.join(';')};${name} ${90 + (index % 7)}\n${callers.join(';')};${name};g${index % 5} 10`,
    stackTrace: [`    at ${name} (${culprit.filePath}:1:1)`, '    at caller39 (/app/c.js:9:9)'].join('\n'),
  });
}
