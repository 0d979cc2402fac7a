import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { findChromium } from '../../../../scripts/jest/chromium.mjs';

/** What is drawn of a notification: the text is real, the frame is ours. */
export interface DrawnNotification {
  readonly status: 'firing' | 'resolved';
  readonly title: string;
  readonly text: string;
}

const size = { width: 980, height: 560 };
const style = `
  body { margin: 0; padding: 20px; background: #fff; color: #1d1c1d; font: 15px/1.45 system-ui, sans-serif; }
  article { border-left: 4px solid; padding: 2px 0 2px 14px; margin-bottom: 18px; }
  .firing { border-color: #c0392b; } .resolved { border-color: #2e8b57; }
  h1 { font-size: 15px; margin: 0 0 4px; } p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
  a { color: #1264a3; text-decoration: none; }`;

/** Draws notifications as a chat shows them. */
export function drawNotifications(notifications: readonly DrawnNotification[], picture: string): void {
  const chromium = findChromium();
  if (chromium === undefined) throw new Error('Expected Chromium, found none. Install it or set CHROMIUM_PATH.');
  const directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-picture-'));
  try {
    const page = path.join(directory, 'page.html');
    writeFileSync(page, pageOf(notifications));
    const { status, stderr } = spawnSync(
      chromium,
      [
        ...['--headless', '--no-sandbox', '--hide-scrollbars', '--disable-gpu', `--user-data-dir=${directory}/profile`],
        `--window-size=${size.width},${size.height}`,
        `--screenshot=${picture}`,
        `file://${page}`,
      ],
      { encoding: 'utf8', timeout: 120_000 },
    );
    if (status !== 0) throw new Error(`Expected Chromium to take a picture, got exit code ${status}: ${stderr}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function pageOf(notifications: readonly DrawnNotification[]): string {
  const articles = notifications.map(
    ({ status, title, text }) =>
      `<article class="${status}"><h1>${escaped(title)}</h1><p>${linked(escaped(text.trim()))}</p></article>`,
  );
  return `<!doctype html><meta charset="utf-8"><title>Notifications</title><style>${style}</style>${articles.join('')}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function linked(html: string): string {
  return html.replaceAll(/https?:\/\/[^\s<]+/g, (url) => `<a href="${url}">${url}</a>`);
}
