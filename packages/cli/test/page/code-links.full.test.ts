import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';

import { accessibilityProblems, openPage, takePicture } from '../support/browser.js';
import { expectEventually, overflowPx, post } from '../support/live-page.js';
import { tracesBody } from '../support/otlp.js';
import { pageSuite } from '../support/page-suite.js';

const suite = pageSuite();

/** A service of which two versions ran in containers, each with a block of the same function in another line. */
async function serveVersions(): Promise<string> {
  const url = await suite.serve();
  const nowMs = Date.now() - 60_000;
  for (const [index, version] of ['1.2.0', '1.3.0'].entries()) {
    const resource = {
      'service.name': 'runs-api',
      'service.version': version,
      'service.instance.id': version,
      'process.working_directory': '/app',
      'vcs.repository.url.full': 'git@github.com:acme/runs.git',
      'vcs.ref.head.revision': `commit-of-${version}`,
    };
    const isLonger = version === '1.2.0';
    const lineNumber = isLonger ? 12 : 14;
    const span = {
      traceId: String(index + 1).padStart(32, '0'),
      spanId: String(index + 1).padStart(16, '0'),
      name: 'event-loop-blocked',
      startMs: nowMs + index * 10_000,
      endMs: nowMs + index * 10_000 + (isLonger ? 500 : 400),
      attributes: {
        'code.function.name': 'createSpans',
        'code.file.path': '/app/src/runs.js',
        'code.line.number': lineNumber,
        'code.column.number': 5,
        'code.stacktrace': [
          `    at createSpans (/app/src/runs.js:${lineNumber}:5)`,
          '    at answer (/app/src/server.js:30:3)',
          '    at Layer.handle (/app/node_modules/express/lib/layer.js:95:5)',
          '    at node:internal/timers:581:17',
        ].join('\n'),
        'event_loop.blocked.cause': 'javascript',
        'event_loop.blocked.stack_quality': 'live',
      },
    };
    await post(url, '/v1/traces', tracesBody(resource, [span]));
  }
  return url;
}

async function openCulprit(page: Page): Promise<Locator> {
  await page.locator('.culprits').getByRole('link', { name: 'createSpans' }).click();
  return page.locator('.culprit-head').getByRole('link', { name: 'runs.js:12' });
}

const hrefsIn = (locator: Locator): Promise<(string | null)[]> =>
  locator.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')));

describe('links to the code', () => {
  test('lead to the repository at the commit that the blocked process ran', async () => {
    const { page, consoleErrors } = await openPage(suite.browser, await serveVersions());
    const place = await openCulprit(page);
    // The place is that of the longest block, and so is the commit.
    expect(await place.getAttribute('href')).toBe('https://github.com/acme/runs/blob/commit-of-1.2.0/src/runs.js#L12');

    await page.locator('.blocks tbody tr', { hasText: '400 ms' }).getByRole('button').first().click();
    const stack = page.getByRole('dialog').locator('.stack');
    await stack.waitFor();
    expect(await hrefsIn(stack)).toEqual([
      'https://github.com/acme/runs/blob/commit-of-1.3.0/src/runs.js#L14',
      'https://github.com/acme/runs/blob/commit-of-1.3.0/src/server.js#L30',
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(consoleErrors).toEqual([]);
  });

  test('lead to the editor that the user has chosen, on the next visit, too', async () => {
    const { page } = await openPage(suite.browser, await serveVersions());
    await page.getByLabel('Open code in').selectOption('VS Code');
    const place = await openCulprit(page);
    expect(await place.getAttribute('href')).toBe('vscode://file/app/src/runs.js:12:5');
    expect(await place.getAttribute('target')).toBeNull();

    await page.reload();
    await expectEventually(() => place.getAttribute('href'), 'vscode://file/app/src/runs.js:12:5');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.locator('.blocks tbody tr', { hasText: '500 ms' }).getByRole('button').first().click();
    const stack = page.getByRole('dialog').locator('.stack');
    await stack.waitFor();
    expect(await hrefsIn(stack)).toEqual([
      'vscode://file/app/src/runs.js:12:5',
      'vscode://file/app/src/server.js:30:3',
      'vscode://file/app/node_modules/express/lib/layer.js:95:5',
    ]);
    await page.keyboard.press('Escape');

    await page.getByLabel('Open code in').selectOption('Repository');
    await expectEventually(
      () => place.getAttribute('href'),
      'https://github.com/acme/runs/blob/commit-of-1.2.0/src/runs.js#L12',
    );
  });

  test.each([390, 1280])('the choice fits a window of %d pixels', async (width) => {
    const { page } = await openPage(suite.browser, await serveVersions(), { viewport: { width, height: 900 } });
    await page.getByLabel('Open code in').waitFor();
    expect(await overflowPx(page)).toBeLessThanOrEqual(0);
    await takePicture(page, `code-links-${width}`);
  });
});
