import { type Random, createRandom } from '../shared/random.js';
import {
  BUSY_SCENARIO_NAME,
  POOL_SCENARIO_NAME,
  SCENARIO_NAMES,
  WORKER_SCENARIO_NAMES,
  createScenario,
  triggerRun,
} from './scenarios.js';
import type { ScenarioName, PlannedRequest } from './request.js';

export interface TrafficOptions {
  readonly seed: number;
  /** Whether the requests of the scenarios ask for the fixed variants. */
  readonly fixed: boolean;
  /** Whether the plan contains the scenarios of worker threads too. */
  readonly workers: boolean;
  readonly quickPerSecond: number;
  /** Mean time between two scenarios. */
  readonly scenarioIntervalMs: number;
}

export const DEFAULT_TRAFFIC: TrafficOptions = {
  seed: 1,
  fixed: false,
  workers: false,
  quickPerSecond: 20,
  scenarioIntervalMs: 3500,
};

/** Requests that are sent together, `atMs` after the start of the traffic. */
export interface PlannedStep {
  readonly atMs: number;
  readonly requests: readonly PlannedRequest[];
  /** Sent when all requests before are answered; what follows in the plan comes later by the time that these take. */
  readonly isAlone?: boolean;
}

/**
 * An endless plan, the same for the same seed. Scenarios come in shuffled rounds, so that each one occurs early. The one
 * of a busy loop and the one that fills libuv's pool end each round.
 */
export function* planTraffic(options: TrafficOptions): Generator<PlannedStep, never> {
  const random = createRandom(options.seed);
  const names = options.workers ? [...SCENARIO_NAMES, ...WORKER_SCENARIO_NAMES] : SCENARIO_NAMES;
  const meanQuickIntervalMs = 1000 / options.quickPerSecond;
  let round: ScenarioName[] = [];
  let nextQuickMs = 0;
  // Half an interval of quick requests alone shows the normal state first.
  let nextScenarioMs = options.scenarioIntervalMs / 2;
  for (;;) {
    if (nextQuickMs <= nextScenarioMs) {
      yield { atMs: nextQuickMs, requests: [quickRequest(random)] };
      // Independent arrivals have exponentially distributed intervals.
      nextQuickMs += -Math.log(1 - random.next()) * meanQuickIntervalMs;
    } else {
      if (round.length === 0) round = [POOL_SCENARIO_NAME, BUSY_SCENARIO_NAME, ...random.shuffle(names)];
      const name = round.pop()!;
      const requests = createScenario(name, options.fixed, random);
      // Hashes take all CPUs: they would stretch the blocks of other requests. And nothing is to block in the busy loop.
      const isAlone = name === POOL_SCENARIO_NAME || name === BUSY_SCENARIO_NAME;
      yield { atMs: nextScenarioMs, requests, ...(isAlone && { isAlone }) };
      nextScenarioMs += options.scenarioIntervalMs * (0.75 + random.next() / 2);
    }
  }
}

function quickRequest(random: Random): PlannedRequest {
  const roll = random.next();
  if (roll < 0.3) return triggerRun(random);
  if (roll < 0.6) return get(`/runs/${1 + random.integer(1000)}`);
  if (roll < 0.75) return get(`/projects/${random.pick(['billing', 'warehouse'])}/tasks`);
  if (roll < 0.9) return get('/projects');
  return get('/healthz');
}

function get(path: string): PlannedRequest {
  return { kind: 'quick', method: 'GET', path };
}
