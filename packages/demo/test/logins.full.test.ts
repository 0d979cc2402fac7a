import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';

import { createLimit } from '../src/logins/limit.js';
import { DEMO_PASSWORD, DEMO_USER } from '../src/shared/account.js';
import { type TestApp, longestBlockMs, startTestApp } from './support/test-app.js';

// Twenty hashes, and the machine may be busy.
jest.setTimeout(60_000);

let testApp: TestApp;

beforeAll(async () => {
  testApp = await startTestApp({ logs: 1, schedules: 0, runsPerTask: 1 });
});

afterAll(async () => {
  await testApp.close();
});

interface Answer {
  readonly statusCode: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function logIn(query: string, password = DEMO_PASSWORD, user = DEMO_USER): Promise<Answer> {
  const response = await testApp.app.inject({ method: 'POST', url: `/logins${query}`, payload: { user, password } });
  return { statusCode: response.statusCode, body: response.json() };
}

async function isReady(): Promise<Answer> {
  const response = await testApp.app.inject({ method: 'GET', url: '/readyz' });
  return { statusCode: response.statusCode, body: response.json() };
}

describe.each(['', '?fixed=1'])('a login (query %j)', (query) => {
  test('is accepted with the right password only', async () => {
    expect(await logIn(query)).toEqual({ statusCode: 201, body: { user: 'demo', session: expect.any(String) } });
    const refused = { statusCode: 401, body: { code: 'WRONG_LOGIN', message: expect.any(String) } };
    expect(await logIn(query, 'correct horse')).toEqual(refused);
    expect(await logIn(query, DEMO_PASSWORD, 'root')).toEqual(refused);
  });
});

/** Logs in twenty times at once. Returns the answers to these, and to the health checks until all of them have come. */
async function logInTwentyTimes(query: string): Promise<{ logins: Answer[]; checks: Answer[] }> {
  const checks: Answer[] = [];
  const over = new AbortController();
  const all = Promise.all(Array.from({ length: 20 }, () => logIn(query))).finally(() => {
    over.abort();
  });
  while (!over.signal.aborted) {
    await delay(10);
    checks.push(await isReady());
  }
  return { logins: await all, checks };
}

describe('twenty logins at once', () => {
  test('let health checks time out, although they do not block the loop', async () => {
    const startedMs = performance.now();
    let answers: Awaited<ReturnType<typeof logInTwentyTimes>> | undefined;
    const longestMs = await longestBlockMs(async () => {
      answers = await logInTwentyTimes('');
    });
    const { logins, checks } = answers!;
    expect(longestMs).toBeLessThan((performance.now() - startedMs) / 2);
    expect(logins.map(({ statusCode }) => statusCode)).toEqual(new Array(20).fill(201));
    // Not all: while the last hashes run, threads are free.
    const timedOut = checks.find(({ statusCode }) => statusCode === 503);
    expect(timedOut?.body).toEqual({ code: 'LOOKUP_TIMEOUT', message: expect.stringContaining('localhost') });
  });

  test('leave threads for the lookups of health checks when they are fixed', async () => {
    const { logins, checks } = await logInTwentyTimes('?fixed=1');
    expect(logins.map(({ statusCode }) => statusCode)).toEqual(new Array(20).fill(201));
    const ready = checks.filter(({ statusCode }) => statusCode === 200);
    expect(ready.length).toBeGreaterThan(checks.length / 2);
    expect(ready[0]?.body).toEqual({ status: 'ready', address: expect.any(String) });
  });
});

test('a limit runs at most so many tasks at once, in their order, and goes on after one that fails', async () => {
  const limit = createLimit(2);
  let running = 0;
  let most = 0;
  const started: number[] = [];
  const task = (n: number) => async (): Promise<number> => {
    started.push(n);
    most = Math.max(most, ++running);
    await delay(1);
    running -= 1;
    if (n === 1) throw new Error('failed');
    return n;
  };
  const results = await Promise.allSettled([0, 1, 2, 3, 4, 5].map((n) => limit(task(n))));
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    ...new Array<string>(4).fill('fulfilled'),
  ]);
  expect(started).toEqual([0, 1, 2, 3, 4, 5]);
  expect(most).toBe(2);
  expect(await limit(() => Promise.resolve('later'))).toBe('later');
});
