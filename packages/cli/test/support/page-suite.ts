import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { Browser } from 'playwright-core';

import { launchBrowser } from './browser.js';
import type { RunningCli } from './cli.js';
import { startServe } from './live-page.js';

export interface PageSuite {
  /** The browser of the test file. */
  readonly browser: Browser;
  /** The `loopwatch` that is killed after the test. */
  running: RunningCli | undefined;
  /** Starts `loopwatch serve` and returns its address. */
  serve(...args: string[]): Promise<string>;
}

/** Starts a browser for the test file; after each test, its pages are closed and its `loopwatch` is killed. */
export function pageSuite(): PageSuite {
  let browser: Browser | undefined;
  const suite: PageSuite = {
    get browser() {
      if (!browser) throw new Error('Expected a started browser: use it within a test.');
      return browser;
    },
    running: undefined,
    serve: async (...args) => {
      const { running, url } = await startServe(...args);
      suite.running = running;
      return url;
    },
  };
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(async () => {
    await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
    suite.running?.child.kill('SIGKILL');
    await suite.running?.result;
    suite.running = undefined;
  });
  return suite;
}
