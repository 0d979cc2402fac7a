import { expect } from '@jest/globals';
import { durationMs, epochMs, runProgram } from '@loopwatch/test-support';
import type { Combination, RunResult, SpanRecord, TruthRecord } from '@loopwatch/test-support';

import { ATTR_BLOCKED_CAUSE, ATTR_BLOCKED_RUN_QUEUE_TIME } from '../../src/semconv.ts';
import type { BlockCause } from '../../src/types.ts';
import { compileCache, fixtureTree, runFixture } from './support.ts';
import type { FixtureOptions } from './support.ts';

/** Long enough for an overloaded machine: the timeout only ends programs that hang. */
const KILL_TIMEOUT_MS = 60_000;
/** The default of `blockedThresholdMs`. */
const THRESHOLD_MS = 100;

export const node24: Combination = { nodeMajor: 24, sdk: 'sdk3' };
export const node20: Combination = { nodeMajor: 20, sdk: 'sdk2' };
export const node26: Combination = { nodeMajor: 26, sdk: 'sdk3' };

/** Runs a fixture once, for a result that does not depend on the load, or a receiver that must not see a second run. */
export async function runOnce(
  combination: Combination,
  program: string,
  options: FixtureOptions = {},
): Promise<RunResult> {
  const tree = await fixtureTree(combination);
  return runProgram({
    combination,
    program,
    tree,
    timeoutMs: KILL_TIMEOUT_MS,
    ...options,
    env: { ...compileCache, ...options.env },
  });
}

/** Options that instrument every thread: the workers inherit the preload. */
export async function inAllThreads(combination: Combination): Promise<FixtureOptions> {
  const { directory } = await fixtureTree(combination);
  return { preload: 'none', flags: ['--require', `${directory}/worker-preload.cjs`], timeoutMs: KILL_TIMEOUT_MS };
}

export async function runInAllThreads(
  combination: Combination,
  program: string,
  options: FixtureOptions = {},
): Promise<RunResult> {
  return runFixture(combination, program, { ...(await inAllThreads(combination)), ...options });
}

/** The thread name on telemetry: a worker of Node 20 cannot read its own name. */
export function workerName({ nodeMajor }: Combination, name: string): string {
  return nodeMajor === 20 ? 'worker' : name;
}

/** The `event-loop-blocked` spans of the block's thread that cover the middle of the block. */
export function spansOfTruth({ spans }: RunResult, truth: TruthRecord): SpanRecord[] {
  const middle = (truth.startEpochMs + truth.endEpochMs) / 2;
  return spans.filter(
    ({ name, attributes, startTime, endTime }) =>
      name === 'event-loop-blocked' &&
      attributes['thread.id'] === truth.threadId &&
      epochMs(startTime) < middle &&
      epochMs(endTime) > middle,
  );
}

/** Expects one of the causes. `cpu_starved` passes where the block was short without its wait for a CPU. */
export function expectCause(span: SpanRecord | undefined, ...causes: BlockCause[]): void {
  const cause = span?.attributes[ATTR_BLOCKED_CAUSE];
  const runQueueMs = Number(span?.attributes[ATTR_BLOCKED_RUN_QUEUE_TIME] ?? 0) * 1000;
  const isStarved = cause === 'cpu_starved' && span !== undefined && durationMs(span) - runQueueMs < THRESHOLD_MS;
  if (!isStarved) expect(causes).toContain(cause);
}
