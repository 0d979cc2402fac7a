// Draws a dashboard with Grafana's own components from a real Prometheus, and takes its picture: see README.md.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const here = fileURLToPath(new URL('.', import.meta.url));
const grafanaPublic = path.join(here, 'node_modules/@grafana/ui/dist/public/');
const browsers = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const fonts = {
  'Inter-Regular.woff2': 'inter-latin-400-normal.woff2',
  'Inter-Medium.woff2': 'inter-latin-500-normal.woff2',
};
const stepSeconds = 15;
const drawnAfterMs = 3000;

const { values: options } = parseArgs({
  options: {
    prometheus: { type: 'string', default: 'http://127.0.0.1:9090' },
    minutes: { type: 'string', default: '5' },
    dashboard: { type: 'string', default: path.join(here, '../event-loop-overview.json') },
    out: { type: 'string', default: path.join(here, '../../docs/images/dashboard-overview.png') },
    width: { type: 'string', default: '1360' },
  },
});

const executablePath = browsers.find((file) => existsSync(file));
if (executablePath === undefined) {
  throw new Error('Expected Chromium, found none. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.');
}

const server = await serve(await bundle(), await readFile(options.dashboard));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  await takePicture();
} finally {
  await browser.close();
  server.close();
}

async function takePicture() {
  const page = await browser.newPage({ viewport: { width: Number(options.width), height: 900 } });
  /** @type {string[]} */
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
  });
  const to = Math.floor(Date.now() / 1000);
  const parameters = new URLSearchParams({
    prometheus: options.prometheus,
    from: String(to - Number(options.minutes) * 60),
    to: String(to),
    step: String(stepSeconds),
  });
  await page.goto(`http://127.0.0.1:${server.address().port}/?${parameters}`);
  await page.waitForFunction(() => window.loopwatchPicture !== undefined, undefined, { timeout: 60_000 });
  const { error, panels = [] } = await page.evaluate(() => window.loopwatchPicture);
  if (error !== undefined) throw new Error(error);
  for (const { title, isEmpty } of panels) console.log(`${isEmpty ? 'no data' : 'data   '}  ${title}`);
  // Tables paint only what is in the window.
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width: Number(options.width), height });
  await page.waitForTimeout(drawnAfterMs);
  await page.screenshot({ path: options.out });
  console.log(`Written: ${options.out}`);
  if (complaints.length > 0) throw new Error(`The page complained:\n${complaints.join('\n')}`);
}

/** The page's script and style sheet. */
async function bundle() {
  const { outputFiles } = await build({
    entryPoints: [path.join(here, 'page/main.tsx')],
    bundle: true,
    write: false,
    outdir: here,
    format: 'esm',
    splitting: false,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    loader: { '.ttf': 'empty' },
    logLevel: 'error',
  });
  return new Map(outputFiles.map(({ path: file, contents }) => [`/${path.basename(file)}`, contents]));
}

/**
 * @param {Map<string, Uint8Array>} files
 * @param {Buffer} dashboard
 */
async function serve(files, dashboard) {
  const types = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json' };
  const page = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><style>body { margin: 0 }</style><link rel="stylesheet" href="/main.css">
<script>window.__grafana_public_path__ = '/public/'</script>
<div id="root"></div><script type="module" src="/main.js"></script>`;
  const listener = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const body =
      pathname === '/'
        ? page
        : pathname === '/dashboard.json'
          ? dashboard
          : (files.get(pathname) ?? (await publicFile(pathname)));
    if (body === undefined) return response.writeHead(404).end();
    response.setHeader('content-type', types[path.extname(pathname)] ?? 'text/html');
    response.end(body);
  });
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return listener;
}

/**
 * Grafana's icons and fonts, which its components fetch. The fonts are not in its packages.
 * @param {string} pathname
 */
async function publicFile(pathname) {
  const font = fonts[path.basename(pathname)];
  if (font !== undefined) return readFile(path.join(here, 'node_modules/@fontsource/inter/files', font));
  const file = path.join(grafanaPublic, pathname.replace(/^\/public\/(build\/)?/, ''));
  if (!file.startsWith(grafanaPublic)) return undefined;
  return readFile(file).catch(() => undefined);
}
