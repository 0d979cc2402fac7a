import { DEMO_PASSWORD, DEMO_USER } from '../shared/account.js';
import type { Random } from '../shared/random.js';
import type { ScenarioName, PlannedRequest } from './request.js';
import { largeDefinition } from './payloads.js';

/** Scenarios that block the main thread. */
export const SCENARIO_NAMES: readonly ScenarioName[] = ['trace-view', 'large-payload', 'schedule-list', 'dashboard'];
/** The scenario of a busy loop in which nothing blocks: a search of 12 ms, for which eight users wait at a time. */
export const BUSY_SCENARIO_NAME: ScenarioName = 'search';
/** The scenario that blocks no thread: tasks wait for libuv's pool. */
export const POOL_SCENARIO_NAME: ScenarioName = 'logins';
/** Scenarios in which worker threads sleep although they have work, or are never ended. */
export const WORKER_SCENARIO_NAMES: readonly ScenarioName[] = ['run-export', 'rebalance'];

const DASHBOARD_QUERY = `query Dashboard($first: Int!) {
  project(slug: "billing") { name tasks { name runs(first: $first) { id status durationMs durationRank } } }
}`;

const SEARCH_FILTERS = encodeURIComponent('status:succeeded|failed duration>250');
const SEARCH_PEAK_MS = 4000;

/** The requests of a scenario, and those that other users send at the same time. */
export function createScenario(name: ScenarioName, fixed: boolean, random: Random): PlannedRequest[] {
  const suffix = fixed ? '?fixed=1' : '';
  switch (name) {
    case 'trace-view':
      // A user views a trace that is still being written, and the page requests it again after a second. Other users
      // queue runs; their transactions are open when the second request blocks the loop, so they wait for it.
      return [
        { kind: name, method: 'GET', path: `/runs/1/trace${suffix}` },
        ...triggerRuns(4, 900, random),
        { kind: name, method: 'GET', path: `/runs/1/trace${suffix}`, delayMs: 1000 },
      ];
    case 'large-payload':
      return [{ kind: name, method: 'POST', path: `/tasks${suffix}`, body: largeDefinition(random) }];
    case 'schedule-list':
      return [{ kind: name, method: 'GET', path: `/projects/billing/schedules${suffix}` }];
    case 'dashboard': {
      const body = JSON.stringify({ query: DASHBOARD_QUERY, variables: { first: 150 } });
      return [{ kind: name, method: 'POST', path: `/graphql${suffix}`, body }];
    }
    case 'run-export':
      // The first upload makes no progress until the second task wakes the thread.
      return [
        { kind: name, method: 'POST', path: `/runs/1/export${suffix}` },
        { kind: name, method: 'POST', path: `/runs/1/export${suffix}`, delayMs: 2500 },
      ];
    case 'search':
      return Array.from({ length: 8 }, () => ({
        kind: name,
        method: 'GET',
        path: `/runs/search?filters=${SEARCH_FILTERS}${fixed ? '&fixed=1' : ''}`,
        repeatForMs: SEARCH_PEAK_MS,
      }));
    case 'logins': {
      // Twenty users log in at once, as when a deployment has ended their sessions. Meanwhile the service is asked
      // whether it is ready.
      const body = JSON.stringify({ user: DEMO_USER, password: DEMO_PASSWORD });
      return [
        ...Array.from({ length: 20 }, () => ({ kind: name, method: 'POST', path: `/logins${suffix}`, body }) as const),
        ...[0, 400, 800].map((delayMs) => ({ kind: 'quick', method: 'GET', path: '/readyz', delayMs }) as const),
      ];
    }
    case 'rebalance':
      return [{ kind: name, method: 'POST', path: `/consumers/rebalance${suffix}` }];
  }
}

function triggerRuns(count: number, delayMs: number, random: Random): PlannedRequest[] {
  return Array.from({ length: count }, () => ({ ...triggerRun(random), delayMs }));
}

/** Queues a run of a random task with a small payload. */
export function triggerRun(random: Random): PlannedRequest {
  const body = JSON.stringify({ payload: { customer: random.integer(10_000), dryRun: random.chance(0.2) } });
  return { kind: 'quick', method: 'POST', path: `/tasks/${1 + random.integer(12)}/runs`, body };
}
