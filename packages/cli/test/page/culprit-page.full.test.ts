import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { accessibilityProblems, openPage, takePicture } from '../support/browser.js';
import { fixture, type RunningCli, startCli } from '../support/cli.js';
import { expectEventually, overflowPx, post, postScenario } from '../support/live-page.js';
import { type SpanInput, tracesBody } from '../support/otlp.js';
import { pageSuite } from '../support/page-suite.js';

const suite = pageSuite();

const hex = (text: string, length: number): string => Buffer.from(text).toString('hex').padStart(length, '0');
/** A file of this machine, so that the server shows its source. */
const FILE = fixture('culprits.cjs');

const FILE_LIFETIME_MS = 10 * 60_000;

/** The tests only read what it has. */
let shared: RunningCli;
let culpritUrl: string;
beforeAll(async () => {
  const args = ['serve', '--port', '0', '--jaeger', 'http://localhost:16686'];
  shared = startCli(args, { lifetimeMs: FILE_LIFETIME_MS });
  const [url] = await shared.waitFor(/http:\/\/127\.0\.0\.1:\d+/);
  culpritUrl = await postCulprit(url);
});
afterAll(async () => {
  shared.child.kill('SIGKILL');
  await shared.result;
});

/** Blocks of a function in two versions of a service, at several lines, with requests that waited. */
async function postCulprit(url: string, linesOfFifth?: string): Promise<string> {
  await postScenario(url, 60);
  const nowMs = Date.now() - 20_000;
  const block = (index: number): SpanInput => {
    const startMs = nowMs - index * 45_000;
    const durationMs = 400 + index * 100;
    const isScan = index % 3 !== 0;
    return {
      traceId: hex(`t${index}`, 32),
      spanId: hex(`b${index}`, 16),
      parentSpanId: hex(`r${index}`, 16),
      name: 'event-loop-blocked',
      startMs,
      endMs: startMs + durationMs,
      attributes: {
        'code.function.name': 'createSpans',
        'code.file.path': FILE,
        'code.line.number': isScan ? 10 : 11,
        'code.stacktrace': `    at createSpans (${FILE}:${isScan ? 10 : 11}:20)\n    at handle (${FILE}:20:3)`,
        'event_loop.blocked.cause': index === 0 ? 'gc' : 'javascript',
        'event_loop.blocked.run_queue_time': index === 1 ? durationMs / 2000 : 0,
        'event_loop.blocked.profile': `handle;createSpans;Array.find;isParent ${durationMs - 60}\nhandle;createSpans 60`,
        ...(index === 4 && linesOfFifth !== undefined && { 'event_loop.blocked.lines': linesOfFifth }),
        'event_loop.blocked.async_resource': 'HTTPINCOMINGMESSAGE',
        'event_loop.blocked.stack_quality': 'live',
      },
    };
  };
  const blocks = Array.from({ length: 8 }, (_, index) => block(index));
  const request = (span: SpanInput, index: number): SpanInput => ({
    traceId: span.traceId,
    spanId: hex(`r${index}`, 16),
    name: index % 2 ? 'GET /runs/:runId/trace' : 'GET /runs',
    kind: 2,
    startMs: span.startMs - 5,
    endMs: span.endMs + 5,
  });
  const victims = Array.from({ length: 125 }, (_, index): SpanInput => {
    const { traceId, spanId, startMs, endMs } = blocks[index % 8]!;
    return {
      traceId: hex(`v${index}`, 32),
      spanId: hex(`v${index}`, 16),
      name: `GET /route-${index % 5}`,
      kind: 2,
      startMs: startMs + 1,
      endMs: endMs + 1_000,
      attributes: { 'event_loop.blocked.wait_time': (endMs - startMs - 1) / 1000 },
      links: [{ traceId, spanId }],
    };
  });
  for (const [version, from, to] of [
    ['1.3.0', 0, 6],
    ['1.2.0', 6, 8],
  ] as const) {
    const resource = { 'service.name': 'runs-api', 'service.version': version, 'service.instance.id': version };
    await post(
      url,
      '/v1/traces',
      tracesBody(resource, [
        ...blocks.slice(from, to),
        ...blocks.slice(from, to).map((span, index) => request(span, from + index)),
      ]),
    );
  }
  await post(url, '/v1/traces', tracesBody({ 'service.name': 'runs-api' }, victims));
  return `${url}/#text=${encodeURIComponent('culprits.cjs')}`;
}

describe('the page of a culprit', () => {
  test.each(['light', 'dark'] as const)(
    'shows source with heat, requests, causes, versions and who waited, accessible, in the %s theme',
    async (colorScheme) => {
      const { page, consoleErrors } = await openPage(suite.browser, culpritUrl, { colorScheme });
      await page.locator('.culprits').getByRole('link', { name: 'createSpans' }).click();
      const head = page.locator('.culprit-head');
      await head.getByRole('heading', { level: 2, name: 'createSpans' }).waitFor();
      expect(await head.locator('.sentence p').textContent()).toMatch(
        /^createSpans \(.*culprits\.cjs:10\) took 100 % of the blocked time: 8 blocks, 6\.0 s, longest 1\.1 s, in 2 routes; 125 requests waited, up to 1\.1 s\. Looks like a nested scan: https:/,
      );
      expect(await head.locator('.facts dt').allTextContents()).toEqual(['First seen', 'Last seen', 'Looks like']);
      expect(await head.getByRole('link', { name: 'a nested scan' }).getAttribute('href')).toMatch(
        /docs\/culprits\/nested-scan\.md$/,
      );

      // The line of the scan blocked for longer than the next one.
      await page.locator('.heat .hit').nth(1).waitFor();
      expect(await page.locator('.heat .hit b').allTextContents()).toEqual(['3.90 s', '2.10 s']);
      const heat = await page
        .locator('.heat .hit')
        .evaluateAll((lines) => lines.map((line) => Number((line as HTMLElement).style.getPropertyValue('--heat'))));
      expect(heat[0]).toBe(1);
      expect(heat[1]).toBeLessThan(1);

      expect(await page.locator('.routes tbody th').allTextContents()).toEqual(['GET /runs/:runId/trace', 'GET /runs']);
      expect(await page.locator('.causes tbody th').allTextContents()).toEqual(['JavaScript', 'Garbage collection']);
      expect(await page.locator('.versions tbody th').allTextContents()).toEqual(['runs-api 1.3.0', 'runs-api 1.2.0']);

      const waited = page.locator('[aria-labelledby="waiting"]');
      await waited.getByText('125 requests of 5 routes waited, up to 1.10 s.').waitFor();
      await waited.locator('summary').first().click();
      expect(await waited.locator('.victims .victims a').first().getAttribute('href')).toMatch(
        /^http:\/\/localhost:16686\/trace\/[0-9a-f]{32}$/,
      );
      expect(await accessibilityProblems(page)).toEqual([]);
      await waited.locator('summary').first().click();
      await page.mouse.move(0, 0);
      await takePicture(page, `culprit-${colorScheme}`, { height: 1_330, documentation: true });
      expect(consoleErrors).toEqual([]);
    },
  );

  test('searches and reverses the flame graph', async () => {
    const { page } = await openPage(suite.browser, culpritUrl);
    await page.locator('.culprits').getByRole('link', { name: 'createSpans' }).click();
    await page.locator('.frame', { hasText: 'isParent' }).waitFor();
    await page.getByLabel('Search the flame graph').fill('isparent');
    // 60 ms of each of the eight blocks are not in it.
    await page.locator('.found', { hasText: '92 %' }).waitFor();
    expect(await page.locator('.frame.marked').allTextContents()).toEqual(['isParent']);
    await page.getByRole('button', { name: 'Reversed' }).click();
    const secondRow = page.locator('.frame[style*="top: 21px"]');
    await expectEventually(
      async () => (await secondRow.allTextContents()).map((text) => text.replace(/:\d+$/, '')),
      ['isParent', 'createSpans'],
    );
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('has the time of each line of a block in its dialog', async () => {
    const url = await postCulprit(await suite.serve('--jaeger', 'http://localhost:16686'), '10 740\n11 60');
    const { page, consoleErrors } = await openPage(suite.browser, url);
    await page.locator('.culprits').getByRole('link', { name: 'createSpans' }).click();
    // The page of the culprit has the sum of all blocks: 3.90 and 2.10 s where each counts for one line.
    await expectEventually(() => page.locator('.heat .hit b').allTextContents(), ['3.84 s', '2.16 s']);
    await page.locator('.blocks tbody tr', { hasText: '800 ms' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('.heat .hit').nth(1).waitFor();
    const hits = dialog.locator('.heat .hit');
    // 740 of the 800 ms are below the first line, as in the flame graph.
    expect(await hits.locator('b').allTextContents()).toEqual(['740 ms', '60.0 ms']);
    expect(await hits.locator('i').allTextContents()).toEqual(['10', '11']);
    expect(await hits.first().textContent()).toContain('logs.find');
    const hiddenPx = (): Promise<number> =>
      dialog.locator('.snippet').evaluate((source) => source.scrollHeight - source.clientHeight);
    expect(await hiddenPx()).toBe(0);
    await dialog.getByText('as the samples of this block show it').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'block-lines');
    await page.keyboard.press('Escape');
    // The samples of the others show one line.
    await page.locator('.blocks tbody tr', { hasText: '700 ms' }).click();
    await dialog.locator('.snippet .hit').waitFor();
    expect(await dialog.locator('.heat').count()).toBe(0);
    expect(await hiddenPx()).toBe(0);
    expect(consoleErrors).toEqual([]);
  });

  test('says that nothing matches when its blocks are gone, with the way back', async () => {
    const { page } = await openPage(suite.browser, `${culpritUrl}&culprit=gone%0A%2Fgone.js`);
    await page.getByText('None of its blocks matches the filter, or is still in memory.').waitFor();
    await page.getByRole('link', { name: 'All culprits' }).click();
    await page.locator('.culprits').getByRole('link', { name: 'createSpans' }).waitFor();
    expect(await page.locator('.culprit-head').count()).toBe(0);
  });

  test.each([390, 1280, 2560])('fits a window of %d pixels', async (width) => {
    const { page } = await openPage(suite.browser, 'about:blank', { viewport: { width, height: 900 } });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto('about:blank');
      await page.goto(culpritUrl);
      await page.locator('.culprits').getByRole('link', { name: 'createSpans' }).click();
      await page.locator('.heat .hit').first().waitFor();
      expect(await overflowPx(page)).toBeLessThanOrEqual(0);
      await takePicture(page, `culprit-${width}-${colorScheme}`, { height: 2_000 });
    }
    // The first test checks both themes; what a width shows is the same in both.
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});
