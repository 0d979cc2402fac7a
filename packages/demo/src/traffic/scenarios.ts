import type { Random } from '../shared/random.js';
import type { ScenarioName, PlannedRequest } from './request.js';
import { largeDefinition } from './payloads.js';

/** What blocks the main thread. */
export const SCENARIO_NAMES: readonly ScenarioName[] = ['trace-view', 'large-payload', 'schedule-list', 'dashboard'];
/** What leaves worker threads asleep over their work, or behind. */
export const WORKER_SCENARIO_NAMES: readonly ScenarioName[] = ['run-export', 'rebalance'];

const DASHBOARD_QUERY = `query Dashboard($first: Int!) {
  project(slug: "billing") { name tasks { name runs(first: $first) { id status durationMs durationRank } } }
}`;

/** The requests of an episode, and what other users send while it lasts. */
export function createScenario(name: ScenarioName, fixed: boolean, random: Random): PlannedRequest[] {
  const suffix = fixed ? '?fixed=1' : '';
  switch (name) {
    case 'trace-view':
      // Someone looks at a trace that is still being written, and the page asks for it again after a second. Runs are
      // queued meanwhile; their transactions have begun when the second view is made, and must wait for it.
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
      // The first upload is stuck until the second task wakes its thread.
      return [
        { kind: name, method: 'POST', path: `/runs/1/export${suffix}` },
        { kind: name, method: 'POST', path: `/runs/1/export${suffix}`, delayMs: 2500 },
      ];
    case 'rebalance':
      return [{ kind: name, method: 'POST', path: `/consumers/rebalance${suffix}` }];
  }
}

function triggerRuns(count: number, delayMs: number, random: Random): PlannedRequest[] {
  return Array.from({ length: count }, () => ({ ...triggerRun(random), delayMs }));
}

/** Queues a run of some task, with a small payload. */
export function triggerRun(random: Random): PlannedRequest {
  const body = JSON.stringify({ payload: { customer: random.integer(10_000), dryRun: random.chance(0.2) } });
  return { kind: 'quick', method: 'POST', path: `/tasks/${1 + random.integer(12)}/runs`, body };
}
