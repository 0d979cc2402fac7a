import { createServer, type Server } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

import { findChromium } from '../../../../scripts/jest/chromium.mjs';
import { writeSite } from '../../src/site.ts';

const directory = path.resolve(import.meta.dirname, '../../temp/page');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** One of each kind: words and pictures, code, long tables, a list. */
const PAGES = [
  'index.html',
  'read-a-block.html',
  'cli.html',
  'contents.html',
  'evidence/index.html',
  'evidence/cases/program.html',
  'runbooks/index.html',
];
/** Below a path, as on GitHub Pages. */
const BELOW = '/some/path/';

jest.setTimeout(180_000);

let browser: Browser;
let server: Server;
let origin: string;

beforeAll(async () => {
  writeSite(directory, 'main');
  browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
  server = createServer((request, response) => {
    const file = path.join(directory, (request.url ?? '').replace(BELOW, ''));
    const types: Readonly<Record<string, string>> = {
      '.html': 'text/html',
      '.js': 'text/javascript',
      '.css': 'text/css',
    };
    const isThere = existsSync(file) && path.extname(file) !== '';
    response.writeHead(isThere ? 200 : 404, { 'content-type': types[path.extname(file)] ?? 'image/png' });
    response.end(isThere ? readFileSync(file) : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}${BELOW}`;
});

afterAll(async () => {
  await browser.close();
  server.close();
});

// What axe finds depends on the colours or on the layout: each theme and each width is in one of the two, which halves
// the time of this file.
test.each([
  ['light', 390],
  ['dark', 1440],
] as const)(
  'in the %s theme at %s px, axe finds nothing and no page is wider than the window',
  async (colorScheme, width) => {
    const { page, errors } = await open({ colorScheme, width });
    for (const name of PAGES) {
      await page.goto(origin + name);
      expect({ name, problems: await problemsOf(page) }).toEqual({ name, problems: [] });
      const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
      expect({ name, isTooWide }).toEqual({ name, isTooWide: false });
    }
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

test('at 390 px, a button opens the navigation, in which axe finds nothing', async () => {
  const { page } = await open({ colorScheme: 'light', width: 390 });
  await page.goto(`${origin}index.html`);
  const link = page.locator('#navigation').getByRole('link', { name: 'loopwatch serve' });
  expect(await link.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Menu' }).click();
  await link.waitFor();
  expect(await problemsOf(page)).toEqual([]);
  await page.context().close();
});

test.each(['a server', 'a folder'])('from %s, the search finds a section and leads to it', async (place) => {
  const { page, errors } = await open({ colorScheme: 'light', width: 1440 });
  const base = place === 'a server' ? origin : `${pathToFileURL(directory).href}/`;
  await page.goto(`${base}evidence/index.html`);
  await page.keyboard.press('/');
  await page.keyboard.type('stretched cpu limit');
  const link = page.locator('#found').getByRole('link', { name: 'How to read a block: Stretched' });
  await link.waitFor();
  expect(place === 'a server' ? await problemsOf(page) : []).toEqual([]);
  await link.click();
  await page.waitForURL(`${base}read-a-block.html#stretched`);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('the chosen theme holds on the next page', async () => {
  const { page } = await open({ colorScheme: 'light', width: 1440 });
  await page.goto(`${origin}index.html`);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole('button', { name: 'Theme' }).click();
  expect(await ground()).not.toBe(light);
  await page.goto(`${origin}cli.html`);
  expect(await ground()).not.toBe(light);
  await page.context().close();
});

async function open({ colorScheme, width }: { colorScheme: 'light' | 'dark'; width: number }): Promise<{
  page: Page;
  errors: string[];
}> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('favicon')) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  return { page, errors };
}

async function problemsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(async () => {
    const loaded = globalThis as unknown as { axe: { run(): Promise<AxeResults> } };
    return loaded.axe.run();
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
}
