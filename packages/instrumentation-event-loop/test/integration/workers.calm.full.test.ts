import { describe, expect, test } from '@jest/globals';
import { describeCombination, durationMs, judgedOn, oldestAndNewest, ofTier } from '@loopwatch/test-support';
import type { Combination } from '@loopwatch/test-support';

import {
  ATTR_BLOCKED_PENDING,
  ATTR_BLOCKED_STACK_QUALITY,
  ATTR_CODE_STACKTRACE,
  ATTR_THREAD_ID,
  ATTR_THREAD_NAME,
} from '../../src/semconv.ts';
import { expectCleanExit } from './support.ts';
import { expectCause, node20, node24, runInAllThreads, spansOfTruth, workerName } from './thread-support.ts';

type Way = 'idle' | 'spin' | 'sleep';
/** Of fixtures/worker-together.cjs. */
const SLEEP_MS = 1000;
const culprits = ['blockMain', 'blockFirst', 'blockSecond'];

/**
 * Blocks threads at the same moment and expects one report of each block, for the right thread. `ways` begins with the
 * main thread's.
 */
async function expectEachReported(combination: Combination, ways: readonly Way[]): Promise<void> {
  const result = await runInAllThreads(combination, 'worker-together.cjs', { args: ways });
  expectCleanExit(result);
  const blocking = ways.flatMap((way, index) => (way === 'idle' ? [] : [{ way, index, culprit: culprits[index]! }]));
  expect(result.truths.map(({ id }) => id).sort()).toEqual(blocking.map(({ culprit }) => culprit).sort());

  for (const { way, index, culprit } of blocking) {
    const truth = result.truths.find(({ id }) => id === culprit)!;
    const [span, ...others] = spansOfTruth(result, truth);
    expect(others).toEqual([]);
    expect(span?.parentSpanId).toBe(truth.spanId);
    expect(span?.attributes).toMatchObject({
      [ATTR_THREAD_ID]: truth.threadId,
      [ATTR_THREAD_NAME]: index === 0 ? 'main' : workerName(combination, `pool-${index}`),
      [ATTR_BLOCKED_STACK_QUALITY]: 'live',
    });
    const stack = String(span?.attributes[ATTR_CODE_STACKTRACE]);
    expect(culprits.filter((name) => stack.includes(name))).toEqual([culprit]);
    expectCause(span, way === 'sleep' ? 'waiting' : 'javascript');
    const truthMs = truth.endNowMs - truth.startNowMs;
    // What the reporter does in the thread at the end of a sleep is part of the truth and not of the block.
    const leastMs = way === 'sleep' ? SLEEP_MS : truthMs;
    expect(durationMs(span!)).toBeGreaterThan(leastMs * 0.95);
    expect(durationMs(span!)).toBeLessThan(truthMs * 1.05);
  }
}

describe.each(oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: blocks are reported with a live stack and for the right thread',
  (_label, combination) => {
    // Not two of them at a time: each needs both cores.
    test.each(
      judgedOn<readonly [string, readonly Way[]]>(combination, [
        ['when two workers block at once and the main thread is idle', ['idle', 'spin', 'sleep']],
        ['when the main thread runs JavaScript at the same time', ['spin', 'spin']],
      ]),
    )('%s', (__label, ways) => expectEachReported(combination, ways));
  },
);

describe('On Node 24, blocks are reported with a live stack and for the right thread', () => {
  test('when the main thread sleeps at the same time', () => expectEachReported(node24, ['sleep', 'spin', 'sleep']));
});

test.concurrent.each(
  ofTier([node20, node24]).map((combination) => [describeCombination(combination), combination] as const),
)('%s: a worker of a worker of a worker has its block reported', async (_label, combination) => {
  const result = await runInAllThreads(combination, 'worker-nested.cjs');
  expectCleanExit(result);
  const [truth] = result.truths;
  const [span, ...others] = spansOfTruth(result, truth!);
  expect(others).toEqual([]);
  expect(span?.attributes).toMatchObject({
    [ATTR_THREAD_NAME]: workerName(combination, 'level-3'),
    [ATTR_BLOCKED_STACK_QUALITY]: 'live',
    [ATTR_CODE_STACKTRACE]: expect.stringContaining('blockInnermost'),
  });
});

test.concurrent.each(
  ofTier([node20, node24]).map((combination) => [describeCombination(combination), combination] as const),
)(
  '%s: a worker that sleeps in an open span is blocked, and one that sleeps with nothing pending is idle',
  async (_label, combination) => {
    const result = await runInAllThreads(combination, 'worker-asleep.cjs');
    expectCleanExit(result);
    const spans = new Map(result.truths.map((truth) => [truth.id, spansOfTruth(result, truth)]));
    const [block, ...others] = spans.get('in an open span')!;
    expect(others).toEqual([]);
    const [truth] = result.truths.filter(({ id }) => id === 'in an open span');
    expect(block?.parentSpanId).toBe(truth!.spanId);
    expect(block?.attributes).toMatchObject({
      [ATTR_THREAD_NAME]: workerName(combination, 'sleeper'),
      [ATTR_BLOCKED_PENDING]: ['Span×1'],
      [ATTR_CODE_STACKTRACE]: expect.stringContaining('asleep'),
    });
    expectCause(block, 'waiting');
    expect(spans.get('in no span')).toEqual([]);
    expect(spans.get('in an ended span')).toEqual([]);
  },
);
