import { describe, expect, test } from '@jest/globals';

import { accessibilityProblems, openPage, takePicture } from '../support/browser.js';
import { startCli } from '../support/cli.js';
import { blockCount, culprits, expectEventually, post, postScenario, ready } from '../support/live-page.js';
import { tracesBody } from '../support/otlp.js';
import { createScenario } from '../support/scenario.js';
import { pageSuite } from '../support/page-suite.js';

const suite = pageSuite();

async function serveScenario(blocks = 90): Promise<string> {
  const url = await suite.serve('--jaeger', 'http://localhost:16686');
  await postScenario(url, blocks);
  return url;
}

describe('the live page', () => {
  test.each(['light', 'dark'] as const)(
    'shows culprits, flame graph and blocks, accessible, in the %s theme',
    async (colorScheme) => {
      const { page, consoleErrors } = await openPage(suite.browser, await serveScenario(), { colorScheme });
      await page.getByLabel('Time range').selectOption('Last 15 minutes');
      await ready(page);
      expect((await culprits(page))[0]).toBe('createSpans');
      expect(await blockCount(page)).toBe(90);
      expect(await page.locator('.chart canvas').count()).toBe(1);
      expect(await accessibilityProblems(page)).toEqual([]);
      await takePicture(page, `live-${colorScheme}`, { height: 1_330, documentation: true });
      expect(consoleErrors).toEqual([]);
    },
  );

  test('explains how to send data while there is none, and shows data when it arrives', async () => {
    const url = await suite.serve();
    const { page, consoleErrors } = await openPage(suite.browser, url);
    await page.getByText('Waiting for the first data').waitFor();
    expect(await page.locator('pre').textContent()).toContain(`OTEL_EXPORTER_OTLP_ENDPOINT=${url}`);
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'live-empty');
    const { traces } = createScenario({ blocks: 5, minutes: 1, endMs: Date.now() });
    for (const body of traces) await post(url, '/v1/traces', body);
    await page.locator('.blocks tbody tr').nth(4).waitFor();
    expect(consoleErrors).toEqual([]);
  });

  test('shows a new block without a reload, and reconnects after a restart', async () => {
    const url = await serveScenario(10);
    const { page } = await openPage(suite.browser, url);
    await ready(page);
    const nowMs = Date.now();
    const block = {
      traceId: 'f'.repeat(32),
      spanId: 'f'.repeat(16),
      name: 'event-loop-blocked',
      startMs: nowMs - 5_000,
      endMs: nowMs,
      attributes: { 'code.function.name': 'brandNew', 'code.file.path': '/app/new.js', 'code.line.number': 1 },
    };
    await post(url, '/v1/traces', tracesBody({ 'service.name': 'other-service' }, [block]));
    await page.locator('.blocks').getByText('brandNew').waitFor();
    await page.getByLabel('Service').selectOption('other-service');
    expect(await culprits(page)).toEqual(['brandNew']);
    suite.running!.child.kill('SIGTERM');
    await page.getByText('Loopwatch has ended.').waitFor();
    await suite.running!.result;
    suite.running = startCli(['serve', '--port', new URL(url).port]);
    await page.locator('.connection.live').waitFor();
    await page.getByText('Waiting for the first data').waitFor();
  });

  test('sorts by a column and reverses the order', async () => {
    const { page } = await openPage(suite.browser, await serveScenario());
    await ready(page);
    const header = page.locator('.culprits th', { hasText: 'Blocks' });
    await header.getByRole('button').click();
    const numbers = async (): Promise<number[]> =>
      (await page.locator('.culprits td:nth-child(3)').allTextContents()).map(Number);
    expect(await header.getAttribute('aria-sort')).toBe('descending');
    expect(await numbers()).toEqual((await numbers()).sort((a, b) => b - a));
    await header.getByRole('button').press('Enter');
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    expect(await numbers()).toEqual((await numbers()).sort((a, b) => a - b));
  });

  test('filters everything by text, cause, culprit and time range', async () => {
    const { page } = await openPage(suite.browser, await serveScenario());
    await ready(page);
    await page.getByLabel('Function, file or request').fill('post /tasks');
    await expectEventually(() => culprits(page), ['≈ validateTask']);
    await page.getByLabel('Function, file or request').fill('');
    await page.getByLabel('Cause').selectOption('Waiting');
    await expectEventually(() => culprits(page), ['convertImage']);
    await page.getByLabel('Cause').selectOption('All causes');

    await page.locator('.culprits').getByRole('link', { name: 'createSpans' }).press('Enter');
    const ofCulprit = await blockCount(page);
    expect(ofCulprit).toBeLessThan(90);
    await expectEventually(async () => (await page.locator('.frame', { hasText: 'validateTask' }).count()) === 0, true);
    await page.getByRole('button', { name: 'Remove the filter createSpans' }).click();
    expect(await blockCount(page)).toBe(90);

    const chart = (await page.locator('.chart .u-over').boundingBox())!;
    await page.mouse.move(chart.x + chart.width * 0.3, chart.y + 90);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width * 0.5, chart.y + 90, { steps: 4 });
    await page.mouse.up();
    await page.locator('.chip').waitFor();
    expect(await blockCount(page)).toBeLessThan(60);
    await page.locator('.chip').click();
    expect(await blockCount(page)).toBe(90);
  });

  test('shows the flame graph of another filter at once', async () => {
    const url = await serveScenario();
    const { page } = await openPage(suite.browser, 'about:blank');
    await page.clock.install();
    await page.goto(url);
    await ready(page);
    // The interval between two drawings of a live graph does not pass.
    await page.clock.pauseAt(Date.now() + 60_000);
    for (const [cause, name] of [
      ['Waiting', 'convertImage'],
      ['Garbage collection', 'refreshCache'],
    ] as const) {
      await page.getByLabel('Cause').selectOption(cause);
      await page.clock.runFor(400);
      await expectEventually(
        async () =>
          (await page.locator('.frame[style*="top: 21px"]').allTextContents()).map((text) => text.split(':')[0]),
        [name],
      );
    }
  });

  test('moves and zooms in the flame graph by keyboard', async () => {
    const { page } = await openPage(suite.browser, await serveScenario());
    await ready(page);
    await page.getByRole('button', { name: 'Show framework callers' }).click();
    await page.locator('.frame', { hasText: 'parserOnIncoming' }).waitFor();
    await page.locator('.frame').first().focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowRight']) await page.keyboard.press(key);
    const focused = page.locator('.frame:focus');
    const name = (await focused.getAttribute('aria-label'))!;
    expect(name).toMatch(/^process\.processTimers:529, /);
    await focused.press('Enter');
    await expectEventually(
      () =>
        page.locator('.frame').evaluateAll((frames) => frames.filter(({ style }) => style.width === '100%').length > 1),
      true,
    );
    await page.keyboard.press('Escape');
    await page.locator('.frame', { hasText: 'createSpans' }).waitFor();
    expect(await page.locator('.frame[tabindex="0"]').count()).toBe(1);
  });

  test.each(['light', 'dark'] as const)(
    'opens a block with its trace, victims and stack, accessible, in the %s theme',
    async (colorScheme) => {
      const { page, consoleErrors } = await openPage(suite.browser, await serveScenario(), { colorScheme });
      await ready(page);
      await page.locator('.blocks th', { hasText: 'Who waited' }).getByRole('button').click();
      await page.locator('.blocks tbody tr', { hasText: 'createSpans' }).first().getByRole('button').press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('heading', { name: 'Stack' }).waitFor();
      expect(await dialog.locator('.waterfall li').count()).toBeGreaterThan(2);
      expect(await dialog.locator('.waterfall .this').textContent()).toContain('event-loop-blocked');
      expect(await dialog.locator('.victims li').count()).toBeGreaterThan(0);
      expect(await dialog.locator('.stack .culprit').textContent()).toContain('createSpans');
      expect(await dialog.getByRole('link', { name: 'Open the trace in Jaeger' }).getAttribute('href')).toMatch(
        /^http:\/\/localhost:16686\/trace\/[0-9a-f]{32}$/,
      );
      await dialog.locator('.frame').nth(2).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await takePicture(page, `block-${colorScheme}`, { documentation: true });
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(consoleErrors).toEqual([]);
    },
  );

  test('shows many victims as groups, each with its longest wait for this block', async () => {
    const url = await suite.serve('--jaeger', 'http://localhost:16686');
    const resource = { 'service.name': 'api', 'service.instance.id': '0' };
    const nowMs = Date.now() - 60_000;
    const hex = (text: string, length: number): string => Buffer.from(text).toString('hex').padStart(length, '0');
    const block = { traceId: hex('trace', 32), spanId: hex('block', 16) };
    const victims = Array.from({ length: 125 }, (_, index) => ({
      traceId: hex(`v${index}`, 32),
      spanId: hex(`v${index}`, 16),
      name: `GET /route-${index % 5}`,
      kind: 2,
      startMs: nowMs + index,
      endMs: nowMs + 60_000,
      // The sum over all blocks that delayed the span.
      attributes: { 'event_loop.blocked.wait_time': 26.2 },
      links: [block, { ...block, spanId: hex('other', 16) }],
    }));
    const span = { ...block, name: 'event-loop-blocked', startMs: nowMs, endMs: nowMs + 10_400 };
    await post(url, '/v1/traces', tracesBody(resource, [span, ...victims]));
    const { page } = await openPage(suite.browser, url);
    await page.locator('.blocks tbody tr').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('125 requests of 5 routes waited, up to 10.40 s').waitFor();
    const groups = dialog.locator('.victims > li > details > summary');
    expect(await groups.count()).toBe(5);
    expect(await groups.first().textContent()).toBe('GET /route-025 requestswaited up to 10.40 s');
    await groups.first().click();
    const first = dialog.locator('.victims .victims li').first();
    expect(await first.locator('.number').textContent()).toBe('waited at most 10.40 s');
    expect(await first.getByRole('link').getAttribute('href')).toBe(`http://localhost:16686/trace/${hex('v0', 32)}`);
    await dialog.getByRole('button', { name: 'Show all 25' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'victims');
  });

  test('remembers the chosen theme', async () => {
    const { page } = await openPage(suite.browser, await serveScenario(5), { colorScheme: 'light' });
    await page.getByRole('button', { name: 'Dark theme' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Light theme' }).waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  });

  test('fits the screen of a phone', async () => {
    const { page } = await openPage(suite.browser, await serveScenario(20), { viewport: { width: 380, height: 800 } });
    await ready(page);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'live-narrow');
  });

  test('stays usable with 5,000 blocks', async () => {
    const { page, consoleErrors } = await openPage(suite.browser, await serveScenario(5_000));
    await ready(page);
    expect(await blockCount(page)).toBe(5_000);
    await page.getByLabel('Function, file or request').fill('signToken');
    await expectEventually(() => culprits(page), ['signToken']);
    await page.getByRole('button', { name: /^Show more/ }).click();
    expect(await page.locator('.blocks tbody tr').count()).toBeGreaterThan(100);
    expect(consoleErrors).toEqual([]);
  });
});
