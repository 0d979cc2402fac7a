import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { accessibilityProblems, openPage, takePicture } from '../support/browser.js';
import { createFleet } from '../support/fleet.js';
import { blockCount, expectEventually, overflowPx, postAll, postScenario, ready } from '../support/live-page.js';
import { pageSuite } from '../support/page-suite.js';

const suite = pageSuite();

/**
 * Chooses a service and waits until the browser has drawn the page. Resolves to the time that this takes, in ms. Undefined
 * is the control: the same wait, and nothing to draw.
 */
async function chooseService(page: Page, value: string | undefined): Promise<number> {
  return page.evaluate(async (chosen) => {
    const startMs = performance.now();
    if (chosen !== null) {
      const select = document.querySelector<HTMLSelectElement>('select[aria-label="Service"]')!;
      select.value = chosen;
      select.dispatchEvent(new Event('change', { bubbles: true }));
    }
    // The task after the second frame runs when the first has been drawn.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return performance.now() - startMs;
  }, value ?? null);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** Reads the CPU time of the page's main thread, in ms: what else runs on the machine does not count. */
async function cpuClock(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000;
  };
}

describe('the page of a fleet', () => {
  test('of 40 services, 120 instances and 5,000 blocks stays legible and quick', async () => {
    const url = await suite.serve();
    await postAll(url, createFleet({ services: 40, instances: 120, blocks: 5_000, endMs: Date.now() - 1_000 }));
    const { page, consoleErrors } = await openPage(suite.browser, url);
    await ready(page);
    expect(await blockCount(page)).toBe(5_000);
    expect(await page.locator('.subject').textContent()).toContain('and 36 more120 instances');
    // Each row names its service, and who waited, where a request did.
    expect(await page.locator('.blocks thead th').allTextContents()).toContain('Service');
    expect(await page.locator('.blocks tbody td.service').first().textContent()).toMatch(/^service-\d\d$/);
    expect(await page.locator('.culprits tbody .service').count()).toBeGreaterThan(0);
    expect(await page.locator('.threads tbody tr').count()).toBeLessThan(20);
    expect(await overflowPx(page)).toBeLessThanOrEqual(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'fleet', { height: 1_330 });

    const cpuMs = await cpuClock(page);
    const [times, elapsedMs, controlMs]: [number[], number[], number[]] = [[], [], []];
    for (let service = 0; service < 8; service += 1) {
      for (const value of [`service-0${service}`, '']) {
        const beforeMs = await cpuMs();
        elapsedMs.push(await chooseService(page, value));
        times.push((await cpuMs()) - beforeMs);
        controlMs.push(await chooseService(page, undefined));
        expect(await blockCount(page)).toBe(value === '' ? 5_000 : 125);
      }
    }
    // The aim is 200 ms, and it is met. Asserted is the order of magnitude: machines differ.
    expect(median(times)).toBeLessThan(2_000);
    // For docs/evidence/README.md.
    const figures = { elapsed: elapsedMs, cpu: times, control: controlMs };
    const words = Object.entries(figures).map(
      ([name, values]) => `${name} ${median(values).toFixed(0)} ms (at most ${Math.max(...values).toFixed(0)} ms)`,
    );
    process.stderr.write(`A filter of 5,000 blocks: ${words.join(', ')}\n`);
    expect(await page.locator('.blocks tbody tr').count()).toBe(25);
    expect(consoleErrors).toEqual([]);
  });

  test('draws many blocks as density, and a cell opens to its blocks, by keyboard', async () => {
    const url = await suite.serve();
    await postAll(url, createFleet({ services: 40, instances: 120, blocks: 5_000, endMs: Date.now() - 1_000 }));
    const { page } = await openPage(suite.browser, url);
    await ready(page);
    await page.locator('.chart').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    const tooltip = page.locator('.tooltip');
    while (!/^\d+ blocks/.test((await tooltip.textContent()) ?? '')) await page.keyboard.press('ArrowLeft');
    const count = Number(/^(\d+) blocks/.exec((await tooltip.textContent())!)![1]);
    await page.keyboard.press('Enter');
    await page.locator('.chip').waitFor();
    // Others may be in the time of the cell.
    expect(await blockCount(page)).toBeGreaterThanOrEqual(count);
    expect(await blockCount(page)).toBeLessThan(1_000);
    await page.goBack();
    await expectEventually(() => blockCount(page), 5_000);
  });

  test('moves between the pins of few blocks by keyboard, says where it is, and opens one', async () => {
    const url = await suite.serve();
    await postScenario(url, 12);
    const { page } = await openPage(suite.browser, url);
    await ready(page);
    await page.locator('.chart').focus();
    const said = page.locator('.chart + .unseen');
    const times: string[] = [];
    for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) {
      await page.keyboard.press(key);
      const time = /\d\d:\d\d:\d\d\.\d\d\d$/;
      await expectEventually(async () => time.test((await said.textContent()) ?? ''), true);
      times.push(time.exec((await said.textContent())!)![0]);
    }
    expect([times[0], times[1], times[2]]).toEqual([times[0], times[1], times[2]].sort());
    expect(times[3]).toBe(times[1]);
    expect(new Set(times).size).toBe(3);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText(times[1]!).first().waitFor();
  });
});
