import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

import { type RunningCli, startCli } from './cli.js';
import { createScenario } from './scenario.js';

/** Starts `loopwatch serve` on a free port. */
export async function startServe(...args: string[]): Promise<{ running: RunningCli; url: string }> {
  const running = startCli(['serve', '--port', '0', ...args]);
  return { running, url: (await running.waitFor(/http:\/\/127\.0\.0\.1:\d+/))[0] };
}

export async function post(url: string, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
}

/** Sends a service under load, whose last block has just ended. */
export async function postScenario(url: string, blocks = 90): Promise<void> {
  await postAll(url, createScenario({ blocks, minutes: 15, endMs: Date.now() - 1_000 }));
}

export async function postAll(
  url: string,
  bodies: { traces: readonly object[]; metrics: readonly object[] },
): Promise<void> {
  for (const body of bodies.traces) await post(url, '/v1/traces', body);
  for (const body of bodies.metrics) await post(url, '/v1/metrics', body);
}

export const culprits = (page: Page): Promise<string[]> => page.locator('.culprits tbody a.name').allTextContents();

export const blockCount = async (page: Page): Promise<number> =>
  Number(await page.locator('#blocks .count').textContent());

/** The flame graph is the last that arrives. */
export const ready = (page: Page): Promise<void> => page.locator('.flame .frame').nth(3).waitFor();

export async function expectEventually<T>(read: () => Promise<T>, expected: T): Promise<void> {
  const deadline = Date.now() + 10_000;
  let value = await read();
  while (JSON.stringify(value) !== JSON.stringify(expected) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    value = await read();
  }
  expect(value).toEqual(expected);
}

/** The width by which the page is wider than the window. */
export async function overflowPx(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}
