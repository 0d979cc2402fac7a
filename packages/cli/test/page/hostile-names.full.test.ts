import { expect, test } from '@jest/globals';

import type { Page } from 'playwright-core';

import { openPage, takePicture } from '../support/browser.js';
import { overflowPx, post, postScenario } from '../support/live-page.js';
import { tracesBody } from '../support/otlp.js';
import { pageSuite } from '../support/page-suite.js';

const suite = pageSuite();
const LONG = 200_000;

async function serveNames(): Promise<string> {
  const url = await suite.serve('--jaeger', 'http://localhost:16686');
  await postScenario(url, 20);
  const nowMs = Date.now();
  const names = [
    [
      'long',
      'f'.repeat(LONG),
      `/srv/${'directory/'.repeat(LONG / 10)}${'a'.repeat(LONG)}.js`,
      `GET /${'x'.repeat(LONG)}`,
    ],
    ['lone', 'half\ud800', '/srv/half\ud800/\udc00.js', 'GET /half\ud800'],
    ['wide', '界'.repeat(1_000), `/srv/${'界'.repeat(1_000)}.js`, `GET /${'界'.repeat(1_000)}`],
  ] as const;
  for (const [index, [kind, functionName, filePath, request]] of names.entries()) {
    const traceId = String(index + 1).repeat(32);
    const server = { traceId, spanId: '1'.repeat(16), kind: 2, name: request, startMs: nowMs - 9_000, endMs: nowMs };
    const block = {
      traceId,
      spanId: String(index + 1).repeat(16),
      parentSpanId: server.spanId,
      name: 'event-loop-blocked',
      startMs: nowMs - 8_000,
      endMs: nowMs - 7_000 + index,
      attributes: {
        'code.function.name': functionName,
        'code.file.path': filePath,
        'code.line.number': 7,
        'code.stacktrace': `    at ${functionName} (${filePath}:7:1)\n    at main (/srv/main.js:1:1)`,
        'event_loop.blocked.cause': 'javascript',
        'event_loop.blocked.profile': `main;${functionName.slice(0, 90_000)} 100`,
        'event_loop.blocked.async_resource': functionName,
        'thread.name': functionName,
      },
    };
    const victim = {
      ...{ traceId: '9'.repeat(32), spanId: String(index + 4).repeat(16), kind: 2, name: request },
      ...{ startMs: nowMs - 7_900, endMs: nowMs, links: [block], attributes: { 'event_loop.blocked.wait_time': 0.9 } },
    };
    const resource = {
      'service.name': `${kind}${functionName}`,
      'service.instance.id': functionName,
      'service.version': request,
    };
    await post(url, '/v1/traces', tracesBody(resource, [server, block, victim]));
  }
  return url;
}

/** How far the content of the dialog is wider than the dialog. */
const dialogOverflowPx = (page: Page): Promise<number> =>
  page.getByRole('dialog').evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);

/** Pairs of what a culprit's row shows that lie on each other. */
const overlaps = (page: Page): Promise<string[]> =>
  page.locator('.culprits tbody th').evaluateAll((cells) =>
    cells.flatMap((cell) => {
      const shown = [...cell.querySelectorAll('a.name, .service, .place, .requests')].map((element) => {
        const inner = [...element.querySelectorAll('span')].map((span) => span.getBoundingClientRect());
        const box = element.getBoundingClientRect();
        const right = Math.max(box.right, ...inner.map((each) => each.right));
        return { name: element.className, top: box.top, bottom: box.bottom, left: box.left, right };
      });
      return shown.flatMap((one, index) =>
        shown
          .slice(index + 1)
          .filter(
            (other) =>
              Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
              Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1,
          )
          .map((other) => `${one.name} and ${other.name}`),
      );
    }),
  );

test('names of any length and of any characters leave the page in its width, and each dialog open', async () => {
  const url = await serveNames();
  for (const [width, colorScheme] of [
    [390, 'light'],
    [390, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const) {
    const options = { colorScheme, viewport: { width, height: 900 } };
    const { page, consoleErrors } = await openPage(suite.browser, url, options);
    await page.evaluate(() => {
      localStorage.setItem('loopwatch-editor', 'VS Code');
    });
    await page.reload();
    await page.locator('.culprits tbody tr').nth(3).waitFor();
    const picture = `names-${width}-${colorScheme}`;
    expect([width, await overflowPx(page), await overlaps(page)]).toEqual([width, 0, []]);
    await takePicture(page, picture, { height: 2_000 });
    if (colorScheme === 'dark') continue;
    for (const id of ['1', '2', '3']) {
      await page.evaluate(
        (hash) => {
          location.hash = hash;
        },
        `block=${id.repeat(16)}`,
      );
      await page.getByRole('dialog').getByRole('heading', { name: 'Stack' }).waitFor();
      // Of a stack whose first line is longer than a whole stack, no line is kept.
      if (id === '1') expect(await page.getByRole('dialog').locator('.stack li').count()).toBe(0);
      else await page.getByRole('dialog').locator('.stack li').nth(1).waitFor();
      expect([id, await overflowPx(page), await dialogOverflowPx(page)]).toEqual([id, 0, 0]);
      await takePicture(page, `${picture}-block-${id}`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.locator('.culprits tbody a.name', { hasText: '界界' }).click();
    await page.locator('.culprit-head .facts').waitFor();
    expect([width, await overflowPx(page)]).toEqual([width, 0]);
    await takePicture(page, `${picture}-culprit`, { height: 2_000 });
    expect(consoleErrors).toEqual([]);
  }
}, 120_000);
