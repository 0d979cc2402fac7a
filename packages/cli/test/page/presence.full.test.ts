import { describe, expect, test } from '@jest/globals';

import { accessibilityProblems, openPage, takePicture } from '../support/browser.js';
import { startCli } from '../support/cli.js';
import { blockCount, post, postScenario, ready } from '../support/live-page.js';
import { gaugeBody, tracesBody } from '../support/otlp.js';
import { pageSuite } from '../support/page-suite.js';

const suite = pageSuite();

describe('the live page', () => {
  test('says when a process that no longer reports was last seen', async () => {
    const url = await suite.serve();
    await postScenario(url, 20);
    const { page } = await openPage(suite.browser, 'about:blank');
    await page.clock.install();
    await page.goto(url);
    await page.locator('.connection', { hasText: /^Live$/ }).waitFor();
    await page.locator('.threads td', { hasText: 'running' }).first().waitFor();
    await page.clock.fastForward('11:00');
    await page.locator('.connection', { hasText: 'Listening, last data 11 min ago' }).waitFor();
    await page.locator('.subject', { hasText: '2 instances, 2 gone' }).waitFor();
    expect(await page.locator('.threads td:last-child').allTextContents()).toEqual([
      'last seen 11 min ago',
      'last seen 11 min ago',
      'last seen 11 min ago',
    ]);
    expect(await page.getByText('running').count()).toBe(0);
    // One of them reports again.
    const resource = { 'service.name': 'trace-api', 'service.instance.id': 'trace-api-0', 'process.pid': 4211 };
    await post(url, '/v1/metrics', gaugeBody(resource, 'event_loop.threads', [{ value: 1, attributes: {} }]));
    await page.locator('.subject', { hasText: '2 instances' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'live-gone');
  });

  test('stays readable when Loopwatch has ended, and says so', async () => {
    const url = await suite.serve();
    await postScenario(url);
    const { page } = await openPage(suite.browser, url);
    await ready(page);
    // What was opened stays.
    await page.locator('.blocks tbody tr').first().click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Stack' }).waitFor();
    await page.keyboard.press('Escape');
    suite.running!.child.kill('SIGTERM');
    await page.locator('.connection.ended', { hasText: 'Ended' }).waitFor();
    await page.getByText('Loopwatch has ended.').waitFor();
    await suite.running!.result;

    expect(await blockCount(page)).toBe(90);
    await page.locator('.blocks tbody tr').first().click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Stack' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.blocks tbody tr').nth(1).click();
    await page.getByRole('dialog').getByText('Loopwatch does not answer: it has the source').waitFor();
    expect(await page.getByRole('dialog').getByText('This block is no longer in memory').count()).toBe(0);
    expect(await page.getByRole('dialog').locator('.composition').count()).toBe(1);
    await page.keyboard.press('Escape');
    // The graph of another filter is not there, and the old one would be that of other blocks.
    await page.getByLabel('Cause').selectOption('Waiting');
    await page.getByText('Loopwatch does not answer: it has the stacks.').waitFor();
    expect(new Set(await page.locator('.threads td:last-child').allTextContents())).toEqual(new Set(['not known']));
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'live-ended');

    suite.running = startCli(['serve', '--port', new URL(url).port]);
    await page.locator('.connection.live').waitFor();
    await page.getByText('Loopwatch has ended.').waitFor({ state: 'detached' });
  });

  test('says whose clock differs from its own', async () => {
    const url = await suite.serve();
    const span = (startMs: number, index: number): Parameters<typeof tracesBody>[1][number] => ({
      traceId: String(index).padStart(32, '1'),
      spanId: String(index).padStart(16, '1'),
      name: 'event-loop-blocked',
      startMs,
      endMs: startMs + 300,
    });
    const send = (id: string, startMs: number, index: number): Promise<void> =>
      post(url, '/v1/traces', tracesBody({ 'service.name': 'api', 'service.instance.id': id }, [span(startMs, index)]));
    await send('ahead', Date.now() + 60_000, 1);
    await send('right', Date.now() - 400, 2);
    // One old batch is a retry; a clock is wrong each time.
    await send('retried', Date.now() - 300_000, 3);
    await send('retried', Date.now() - 400, 4);
    await send('retried', Date.now() - 400, 5);
    for (const index of [6, 7, 8]) await send('behind', Date.now() - 300_300, index);
    const { page } = await openPage(suite.browser, url);
    const text = (await page.locator('.notices').textContent())!;
    expect(text).toMatch(
      /Times may be wrong, compared with the clock of Loopwatch: api ahead \(clock \S+ s ahead\), api behind \(clock 5 min( \d+ s)? behind, or its data arrives late\)\.$/,
    );
    // The block from the future is within the chart.
    expect(await page.locator('.chart').getAttribute('aria-label')).toContain('with 8 blocks');
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});
