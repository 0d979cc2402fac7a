import { describe, expect, test } from '@jest/globals';
import {
  combinationPerMajor,
  describeCombination,
  durationMs,
  histogram,
  oldestAndNewest,
} from '@loopwatch/test-support';
import type { RunResult } from '@loopwatch/test-support';

import {
  ATTR_BLOCKED_SAMPLE_COUNT,
  ATTR_BLOCKED_STACK_QUALITY,
  METRIC_EVENT_LOOP_BLOCKED_DURATION,
  METRIC_EVENT_LOOP_LAG,
} from '../../src/semconv.ts';
import { expectCleanExit, fixtureTree, runFixture, spansOfBlocks } from './support.ts';

/** Expects a span of the right length without a stack, the metrics, and that number of diag lines. */
function expectSpanWithoutStack(result: RunResult, diagLines: number): void {
  expectCleanExit(result);
  const [span, ...others] = spansOfBlocks(result);
  expect(others).toEqual([]);
  expect(span?.attributes[ATTR_BLOCKED_STACK_QUALITY]).toBe('none');
  expect(Object.keys(span?.attributes ?? {}).filter((name) => name.startsWith('code.'))).toEqual([]);
  const [truth] = result.truths;
  const ratio = durationMs(span!) / (truth!.endNowMs - truth!.startNowMs);
  expect(ratio).toBeGreaterThan(0.9);
  expect(ratio).toBeLessThan(1.3);
  expect(histogram(result, METRIC_EVENT_LOOP_BLOCKED_DURATION)?.count).toBeGreaterThan(0);
  expect(histogram(result, METRIC_EVENT_LOOP_LAG)?.count).toBeGreaterThan(0);
  expect(result.diags.filter(({ level }) => level !== 'info')).toHaveLength(diagLines);
}

/** The program does not wait for a watchdog thread. */
const withoutWatchdog = { WHEN_WATCHED_TIMEOUT_MS: '100' };

// Both share the tests: what they show depends on neither. A job for one combination has them all.
const oldest = oldestAndNewest[0]!;
const newest = oldestAndNewest.at(-1)!;

describe('Without a part of the instrumentation', () => {
  test.concurrent('captureStacks: false exports no name or place of code, and the parent is still right', async () => {
    const result = await runFixture(oldest, 'one-block.cjs', {
      telemetry: { instrumentation: { captureStacks: false } },
    });
    const [span] = spansOfBlocks(result);
    expect(span?.parentSpanId).toBe(result.truths[0]?.spanId);
    expect(span?.attributes[ATTR_BLOCKED_SAMPLE_COUNT]).toBeGreaterThan(0);
    const sent = JSON.stringify({ spans: result.spans, metrics: result.metrics });
    expect(sent).not.toMatch(/revealingFunctionName|one-block\.cjs|"code\.|blocked\.profile/);
  });

  test.concurrent('captureStacks: true exports them, which shows that the test above can fail', async () => {
    const result = await runFixture(oldest, 'one-block.cjs');
    expect(JSON.stringify(result.spans)).toMatch(/revealingFunctionName/);
    expect(JSON.stringify(result.metrics)).toMatch(/revealingFunctionName/);
  });

  test.concurrent('watchdog: false leaves lag, durations and spans', async () => {
    const result = await runFixture(oldest, 'one-block.cjs', {
      telemetry: { instrumentation: { watchdog: false } },
      env: withoutWatchdog,
    });
    expectSpanWithoutStack(result, 0);
  });

  test.concurrent('a missing inspector is logged once and leaves lag, durations and spans', async () => {
    const { directory } = await fixtureTree(newest);
    const result = await runFixture(newest, 'one-block.cjs', {
      preload: 'require',
      flags: ['--require', `${directory}/without-inspector.cjs`],
      env: withoutWatchdog,
    });
    expectSpanWithoutStack(result, 1);
  });
});

describe.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  '%s',
  (_label, combination) => {
    const permissions: readonly (readonly [string, readonly string[]])[] = [
      ['worker threads and the inspector', []],
      // Node 20 to 26 abort the process instead of throwing when a worker without permission uses the inspector.
      ['the inspector', ['--allow-worker']],
      // Node 20 and 22 have no flag that allows the inspector.
      ...(combination.nodeMajor >= 24 ? [['worker threads', ['--allow-inspector']] as const] : []),
    ];

    test.concurrent.each(permissions)(
      'a permission model without %s is logged once and leaves lag, durations and spans',
      async (_what, allowed) => {
        const permission = combination.nodeMajor === 20 ? '--experimental-permission' : '--permission';
        const result = await runFixture(combination, 'one-block.cjs', {
          preload: 'require',
          flags: ['--no-warnings', permission, '--allow-fs-read=*', '--allow-fs-write=*', ...allowed],
          env: withoutWatchdog,
        });
        expectSpanWithoutStack(result, 1);
        expect(result.stderr).toBe('');
      },
    );
  },
);
