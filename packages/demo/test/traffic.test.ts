import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, test } from '@jest/globals';

import { createRandom } from '../src/shared/random.js';
import {
  BUSY_SCENARIO_NAME,
  POOL_SCENARIO_NAME,
  SCENARIO_NAMES,
  WORKER_SCENARIO_NAMES,
  createScenario,
} from '../src/traffic/scenarios.js';
import { largeDefinition } from '../src/traffic/payloads.js';
import { DEFAULT_TRAFFIC, type PlannedStep, planTraffic } from '../src/traffic/plan.js';
import { describeTraffic, sendTraffic } from '../src/traffic/send.js';
import { parseTrafficArguments } from '../src/traffic/arguments.js';

function stepsUntil(untilMs: number, options: Partial<typeof DEFAULT_TRAFFIC> = {}): PlannedStep[] {
  const steps: PlannedStep[] = [];
  for (const step of planTraffic({ ...DEFAULT_TRAFFIC, ...options })) {
    if (step.atMs > untilMs) return steps;
    steps.push(step);
  }
  throw new Error('Expected an endless plan, but it ended.');
}

function blockingIn(steps: readonly PlannedStep[]): string[] {
  return steps
    .flatMap(({ requests }) => requests.map(({ kind }) => kind))
    .filter((kind) => kind !== 'quick' && kind !== POOL_SCENARIO_NAME && kind !== BUSY_SCENARIO_NAME);
}

describe('the plan', () => {
  test('is the same for the same seed and differs for another', () => {
    expect(stepsUntil(10_000)).toEqual(stepsUntil(10_000));
    expect(stepsUntil(10_000, { seed: 2 })).not.toEqual(stepsUntil(10_000));
  });

  test('is sorted by time', () => {
    const times = stepsUntil(20_000).map((step) => step.atMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  describe.each([1, 2, 3, 4, 5])('of 30 s (seed %d)', (seed) => {
    const steps = stepsUntil(30_000, { seed });

    test('contains every scenario, and 6 to 15 blocking requests', () => {
      const blocking = blockingIn(steps);
      expect(new Set(blocking)).toEqual(new Set(SCENARIO_NAMES));
      expect(blocking.length).toBeGreaterThanOrEqual(6);
      expect(blocking.length).toBeLessThanOrEqual(15);
    });

    test('makes the loop busy and fills the thread pool after the first round of blocks, each alone', () => {
      const scenarios = steps.filter(({ requests }) => requests.some(({ kind }) => kind !== 'quick'));
      const alone = [false, false, false, false, true, true];
      expect(scenarios.slice(0, 6).map(({ isAlone }) => isAlone === true)).toEqual(alone);
      expect(scenarios[4]?.requests[0]?.kind).toBe(BUSY_SCENARIO_NAME);
      expect(scenarios[5]?.requests[0]?.kind).toBe(POOL_SCENARIO_NAME);
      expect(scenarios[5]?.atMs).toBeLessThan(26_000);
    });
  });

  test('sends twenty logins at once, and health checks meanwhile', () => {
    const logins = createScenario(POOL_SCENARIO_NAME, false, createRandom(1));
    expect(logins.filter(({ path }) => path === '/logins')).toHaveLength(20);
    expect(logins.filter(({ path, kind }) => path === '/readyz' && kind === 'quick')).toHaveLength(3);
  });

  test('contains the scenarios of worker threads when asked for them', () => {
    const blocking = blockingIn(stepsUntil(30_000, { workers: true }));
    expect(new Set(blocking)).toEqual(new Set([...SCENARIO_NAMES, ...WORKER_SCENARIO_NAMES]));
  });

  test('contains about as many quick requests as asked for', () => {
    const quick = stepsUntil(30_000).filter((step) => step.requests.every((request) => request.kind === 'quick'));
    expect(quick.length).toBeGreaterThan(0.8 * 30 * DEFAULT_TRAFFIC.quickPerSecond);
    expect(quick.length).toBeLessThan(1.2 * 30 * DEFAULT_TRAFFIC.quickPerSecond);
  });

  test('requests only fixed variants when asked for them', () => {
    const blocking = stepsUntil(30_000, { fixed: true })
      .flatMap((step) => step.requests)
      .filter((request) => request.kind !== 'quick');
    expect(blocking.length).toBeGreaterThan(0);
    expect(blocking.filter((request) => !request.path.includes('fixed=1'))).toEqual([]);
  });
});

test('a step that is sent alone waits for the answers before it, and what follows waits for its own', async () => {
  const order: string[] = [];
  const server = createServer((request, response) => {
    order.push(`${request.url} asked`);
    setTimeout(() => {
      order.push(`${request.url} answered`);
      response.end();
    }, 60);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const step = (path: string, atMs: number, isAlone = false): PlannedStep => ({
    atMs,
    requests: [{ kind: 'quick', method: 'GET', path }],
    isAlone,
  });
  const { port } = server.address() as AddressInfo;
  const summary = await sendTraffic([step('/before', 0), step('/alone', 1, true), step('/after', 2)], {
    baseUrl: `http://127.0.0.1:${port}`,
    durationMs: Infinity,
    signal: new AbortController().signal,
  });
  server.close();
  expect(order).toEqual(['/before', '/alone', '/after'].flatMap((path) => [`${path} asked`, `${path} answered`]));
  expect(summary.answers).toEqual(new Map([[200, 3]]));
});

test('a large definition is multi-megabyte JSON', () => {
  expect(largeDefinition(createRandom(1)).length).toBeGreaterThan(3_000_000);
});

test('the summary counts answers, errors and latencies', () => {
  const summary = {
    answers: new Map([
      [503, 2],
      [200, 98],
    ]),
    failed: 1,
    skipped: 0,
    quickLatenciesMs: [1.23, 4, 1500],
  };
  expect(describeTraffic(summary)).toBe(
    '100 requests answered, 2 with 503, 1 without answer, quick requests: median 4.0 ms, p99 1.50 s',
  );
});

describe('the command line of the traffic', () => {
  test('has defaults', () => {
    expect(parseTrafficArguments([], {})).toMatchObject({ baseUrl: 'http://127.0.0.1:8080', durationMs: 30_000 });
  });

  test('takes precedence over the environment', () => {
    const environment = { DEMO_URL: 'http://service:8080', DEMO_DURATION_SECONDS: '0' };
    expect(parseTrafficArguments([], environment)).toMatchObject({
      baseUrl: 'http://service:8080',
      durationMs: Infinity,
    });
    expect(parseTrafficArguments(['--duration', '5'], environment)).toMatchObject({ durationMs: 5000 });
  });

  test.each([['--duration=soon'], ['--duration=-1'], ['--url=nowhere'], ['--seed=1.5']])(
    'names the option in the error for %s',
    (option) => {
      expect(() => parseTrafficArguments([option], {})).toThrow(option.split('=')[0]);
    },
  );
});
