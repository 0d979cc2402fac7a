import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const require = createRequire(import.meta.url);
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const CANDIDATES = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** UPDATE_IMAGES=1 replaces the pictures of the documentation; otherwise all pictures go to a temporary folder. */
const DOCUMENTATION = new URL('../../../../docs/images/', import.meta.url);
const TEMPORARY = new URL('../../temp/images/', import.meta.url);

export async function launchBrowser(): Promise<Browser> {
  const executablePath = CANDIDATES.find((file) => existsSync(file));
  if (executablePath === undefined) {
    throw new Error(
      'Expected Chromium, found none. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.',
    );
  }
  // Most containers lack the user namespace that the sandbox needs; the pages are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** A page, and the errors and warnings in its console. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; consoleErrors: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  const page = await context.newPage();
  const consoleErrors: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => consoleErrors.push(error.message));
  await page.goto(url);
  return { page, consoleErrors };
}

/** Violations that axe finds, as text. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const results = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<AxeResults> } };
    return axe.run();
  });
  return results.violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`)
        .slice(0, 3)
        .join(' | ')}`,
  );
}

interface PictureOptions {
  /** Height of the picture from the top of the page. Default: the window. */
  readonly height?: number;
  readonly documentation?: boolean;
}

export async function takePicture(page: Page, name: string, options: PictureOptions = {}): Promise<void> {
  const directory = options.documentation && process.env.UPDATE_IMAGES === '1' ? DOCUMENTATION : TEMPORARY;
  mkdirSync(directory, { recursive: true });
  const width = page.viewportSize()?.width ?? 1360;
  const clip =
    options.height === undefined ? {} : { fullPage: true, clip: { x: 0, y: 0, width, height: options.height } };
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, directory)), ...clip });
}
