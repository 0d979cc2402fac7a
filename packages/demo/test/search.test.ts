import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { BUSY_SCENARIO_NAME, createScenario } from '../src/traffic/scenarios.js';
import { createRandom } from '../src/shared/random.js';
import { type TestApp, startTestApp } from './support/test-app.js';

let testApp: TestApp;

beforeAll(async () => {
  testApp = await startTestApp({ logs: 1, schedules: 0, runsPerTask: 200 });
});

afterAll(async () => {
  await testApp.close();
});

interface Found {
  readonly count: number;
  readonly runs: readonly { readonly status: string; readonly durationMs: number }[];
}

async function search(url: string): Promise<Found> {
  return (await testApp.app.inject({ method: 'GET', url })).json();
}

test('both variants of the search find the same runs, and only those that match', async () => {
  const { path } = createScenario(BUSY_SCENARIO_NAME, false, createRandom(1))[0]!;
  const found = await search(path);
  expect(await search(`${path}&fixed=1`)).toEqual(found);
  expect(found.count).toBeGreaterThan(0);
  for (const { status, durationMs } of found.runs) {
    expect(['succeeded', 'failed']).toContain(status);
    expect(durationMs).toBeGreaterThan(250);
  }
  expect((await search('/runs/search?filters=duration%3C0')).count).toBe(0);
});

test('the fixed search of the same runs takes a small part of the time', async () => {
  const timeOf = async (suffix: string): Promise<number> => {
    const startedAt = performance.now();
    await search(`/runs/search?filters=status:failed%20duration%3E250${suffix}`);
    return performance.now() - startedAt;
  };
  // In turn, and the shortest of each: what another process takes of the CPU falls on both.
  const [slow, fixed]: [number[], number[]] = [[], []];
  for (let i = 0; i < 15; i++) {
    slow.push(await timeOf(''));
    fixed.push(await timeOf('&fixed=1'));
  }
  expect(Math.min(...fixed)).toBeLessThan(Math.min(...slow) / 1.5);
});

test.each(['filters=', 'filters=status', 'filters=price:3', 'filters=duration:long', 'rows=3'])(
  'a search with %s is refused',
  async (query) => {
    expect((await testApp.app.inject({ method: 'GET', url: `/runs/search?${query}` })).statusCode).toBe(400);
  },
);
