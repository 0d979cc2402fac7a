import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { reportHtml } from '../../src/cli/files/report.js';
import { createRecording } from '../../src/model/recording/recording.js';
import { openPage } from '../support/browser.js';
import { blockCount, expectEventually, postScenario, ready } from '../support/live-page.js';
import { pageSuite } from '../support/page-suite.js';
import { makeBlock } from '../support/records.js';

const PAGE_FILE = new URL('../../dist/page.html', import.meta.url);

const suite = pageSuite();
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-address-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** A report as a file, with two culprits. */
async function reportUrl(): Promise<string> {
  const startedMs = 1_795_263_286_000;
  const other = { functionName: 'other', filePath: '/app/src/other.js', lineNumber: 9, columnNumber: 1 };
  const blocks = [
    makeBlock({ id: 'b1', startMs: startedMs + 1_000, durationMs: 900 }),
    makeBlock({ id: 'b2', startMs: startedMs + 2_000, durationMs: 100, culprit: other, cause: 'gc' }),
  ];
  const recording = createRecording({
    loopwatchVersion: '0.1.0',
    command: ['node', 'app.js'],
    directory: '/app',
    startedMs,
    durationMs: 60_000,
    thresholdMs: 100,
    exit: { code: 0 },
    processes: [{ id: 'i1', service: 'app.js', label: 'pid 1', pid: 1 }],
    droppedBlocks: 0,
    sources: {},
    vcs: { repositoryUrl: 'https://github.com/acme/app', revision: 'c0ffee', rootDirectory: '/app' },
    blocks,
    lagPoints: [],
  });
  const file = path.join(directory, 'report.html');
  await writeFile(file, await reportHtml(recording, PAGE_FILE));
  return pathToFileURL(file).href;
}

const dialogTitle = (page: Page): Promise<string | null> =>
  page.getByRole('dialog').getByRole('heading', { level: 2 }).textContent();

describe('the address of the page', () => {
  test('keeps filters, culprit, block and time range over a reload and in another browser', async () => {
    const url = await suite.serve();
    await postScenario(url);
    const { page } = await openPage(suite.browser, url);
    await ready(page);
    await page.getByRole('searchbox', { name: 'Function, file or request' }).fill('trace-view');
    await page.getByLabel('Cause', { exact: true }).selectOption('JavaScript');
    await page.getByLabel('Time range').selectOption('Last hour');
    const chart = (await page.locator('.chart .u-over').boundingBox())!;
    await page.mouse.move(chart.x + chart.width * 0.05, chart.y + 90);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width * 0.99, chart.y + 90, { steps: 4 });
    await page.mouse.up();
    await page.locator('.culprits').getByRole('link', { name: 'createSpans' }).click();
    await page.locator('.blocks tbody tr').first().click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Stack' }).waitFor();
    const shown = async (which: Page): Promise<unknown> => {
      await which.getByRole('dialog').getByRole('heading', { name: 'Stack' }).waitFor();
      return {
        text: await which.getByLabel('Function, file or request').inputValue(),
        cause: await which.getByLabel('Cause', { exact: true }).inputValue(),
        window: await which.getByLabel('Time range').inputValue(),
        chips: await which.locator('.chip').allTextContents(),
        culprit: await which.locator('.culprit-head h2').textContent(),
        blocks: await blockCount(which),
        dialog: await dialogTitle(which),
        title: await which.title(),
      };
    };
    const before = await shown(page);
    expect(before).toMatchObject({
      text: 'trace-view',
      cause: 'javascript',
      window: '3600000',
      culprit: 'createSpans',
    });
    await page.reload();
    expect(await shown(page)).toEqual(before);
    const { page: other } = await openPage(suite.browser, page.url());
    expect(await shown(other)).toEqual(before);
  });

  test('leads back and forward in a report from the disk', async () => {
    const { page, consoleErrors } = await openPage(suite.browser, await reportUrl(), { offline: true });
    const first = page.url();
    await page.locator('.culprits').getByRole('link', { name: 'other' }).click();
    await page.getByRole('heading', { level: 2, name: 'other' }).waitFor();
    await page.locator('.blocks tbody tr').click();
    await page.getByRole('dialog').waitFor();
    const withBlock = page.url();

    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 2, name: 'other' }).waitFor();
    await page.goBack();
    await page.locator('.culprits').waitFor();
    expect(page.url()).toBe(first);
    await page.goForward();
    await page.goForward();
    expect(page.url()).toBe(withBlock);
    expect(await dialogTitle(page)).toBe('other 100 ms');
    await page.reload();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.title()).toBe('other · node app.js · Loopwatch');
    // The line at the commit that ran.
    expect(await page.locator('.culprit-head a', { hasText: 'other.js:9' }).getAttribute('href')).toBe(
      'https://github.com/acme/app/blob/c0ffee/src/other.js#L9',
    );
    expect(consoleErrors).toEqual([]);
  });

  test('keeps the order of the tables and the zoom of the flame graph, and Back undoes them', async () => {
    const { page, consoleErrors } = await openPage(suite.browser, await reportUrl(), { offline: true });
    const first = page.url();
    const names = (which: Page): Promise<string[]> => which.locator('.culprits a.name').allTextContents();
    const lengths = (which: Page): Promise<string[]> => which.locator('.blocks td.number').allTextContents();
    const zoomed = (which: Page): Promise<(string | null)[]> =>
      which
        .locator('.flame .frame')
        .evaluateAll((frames) =>
          frames.filter((frame) => (frame as HTMLElement).style.width === '100%').map((frame) => frame.textContent),
        );
    const shown = async (which: Page): Promise<unknown> => {
      await which.getByRole('button', { name: 'Zoom out' }).waitFor();
      return { names: await names(which), lengths: await lengths(which), zoomed: await zoomed(which) };
    };
    await expectEventually(() => names(page), ['slow', 'other']);
    await page.locator('.culprits').getByRole('button', { name: 'Total' }).click();
    await page.locator('.blocks').getByRole('button', { name: 'Duration' }).click();
    await page.locator('.blocks').getByRole('button', { name: 'Duration' }).click();
    await page.locator('.flame .frame', { hasText: 'other' }).click();
    const before = await shown(page);
    expect(before).toEqual({
      names: ['other', 'slow'],
      lengths: ['100 ms', '900 ms'],
      zoomed: [expect.stringMatching(/^all/), expect.stringMatching(/^other/)],
    });
    await page.reload();
    expect(await shown(page)).toEqual(before);
    const { page: other } = await openPage(suite.browser, page.url());
    expect(await shown(other)).toEqual(before);

    await page.goBack();
    await page.getByRole('button', { name: 'Zoom out' }).waitFor({ state: 'detached' });
    await page.goBack();
    await expectEventually(() => lengths(page), ['900 ms', '100 ms']);
    await page.goBack();
    await page.goBack();
    await expectEventually(() => names(page), ['slow', 'other']);
    expect(page.url()).toBe(first);
    expect(consoleErrors).toEqual([]);
  });

  test('keeps that the flame graph is reversed; the page of a culprit has no zoom', async () => {
    const { page } = await openPage(suite.browser, await reportUrl());
    await page.getByRole('button', { name: 'Reversed' }).click();
    await page.locator('.flame .frame', { hasText: 'other' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Zoom out' }).waitFor();
    await page.locator('.culprits').getByRole('link', { name: 'slow' }).click();
    await page.getByRole('heading', { level: 2, name: 'slow' }).waitFor();
    expect(await page.getByRole('button', { name: 'Reversed' }).getAttribute('aria-pressed')).toBe('true');
    expect(await page.getByRole('button', { name: 'Zoom out' }).count()).toBe(0);
  });

  test('keeps the search and the described frame of the flame graph over a reload and in another browser', async () => {
    const { page, consoleErrors } = await openPage(suite.browser, await reportUrl(), { offline: true });
    const shown = async (which: Page): Promise<unknown> => {
      await which.locator('.flame .frame').nth(2).waitFor();
      return {
        search: await which.getByLabel('Search the flame graph').inputValue(),
        found: await which.locator('.flame-controls .found').textContent(),
        marked: await which.locator('.flame .frame.marked').allTextContents(),
        described: await which.locator('.flame-info strong').textContent(),
        current: await which.locator('.flame .frame[aria-current]').allTextContents(),
        inTabOrder: await which.locator('.flame .frame[tabindex="0"]').allTextContents(),
      };
    };
    await page.locator('.flame .frame').nth(2).waitFor();
    expect(await shown(page)).toMatchObject({ search: '', marked: [], described: 'All blocked time', current: [] });
    await page.getByLabel('Search the flame graph').pressSequentially('OTHER');
    await page.locator('.flame .frame[tabindex="0"]').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await expectEventually(() => page.locator('.flame .frame[aria-current]').count(), 1);
    const before = await shown(page);
    const label = expect.stringMatching(/^other/);
    expect(before).toEqual({
      search: 'OTHER',
      found: expect.stringMatching(/^100 ms/),
      marked: [label],
      described: 'other',
      current: [label],
      inTabOrder: [label],
    });
    await page.reload();
    expect(await shown(page)).toEqual(before);
    const { page: other } = await openPage(suite.browser, page.url(), { offline: true });
    expect(await shown(other)).toEqual(before);

    // The typed text is one entry of the history, and moves from frame to frame are none.
    await page.goBack();
    await expectEventually(() => page.getByLabel('Search the flame graph').inputValue(), '');
    expect(await shown(page)).toMatchObject({ found: '', marked: [], described: 'All blocked time', current: [] });
    expect(new URL(page.url()).hash).toBe('');
    expect(consoleErrors).toEqual([]);
  });

  test('has one entry of the history for a typed text', async () => {
    const { page } = await openPage(suite.browser, await reportUrl());
    await page.getByLabel('Cause', { exact: true }).selectOption('Garbage collection');
    await page.getByLabel('Function, file or request').pressSequentially('other');
    await expectEventually(() => page.evaluate(() => location.hash), '#cause=gc&text=other');
    await page.goBack();
    await expectEventually(() => page.getByLabel('Function, file or request').inputValue(), '');
    expect(await page.getByLabel('Cause', { exact: true }).inputValue()).toBe('gc');
    await page.goBack();
    await expectEventually(() => blockCount(page), 2);
  });

  test('ignores what it does not know', async () => {
    const url = `${await reportUrl()}#cause=magic&from=soon&colour=red&window=-5&sort-blocks=magic&zoom=nowhere&frame=none`;
    const { page, consoleErrors } = await openPage(suite.browser, url);
    await expectEventually(() => blockCount(page), 2);
    await page.locator('.flame .frame').nth(2).waitFor();
    expect(await page.getByRole('button', { name: 'Zoom out' }).count()).toBe(0);
    expect(await page.locator('.blocks th[aria-sort="descending"]').textContent()).toContain('Time');
    expect(consoleErrors).toEqual([]);
  });
});
