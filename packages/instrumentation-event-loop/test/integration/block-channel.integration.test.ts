import path from 'node:path';

import { describe, expect, test } from '@jest/globals';
import { describeCombination, sampledCombinations } from '@loopwatch/test-support';
import type { Combination, RunResult } from '@loopwatch/test-support';

import type { BlockMessage } from '../../src/types.ts';
import { expectCleanExit, fixtureTree, runFixture } from './support.ts';

/** Runs fixtures/channel.cjs without an SDK, and with an exporter that reports no hangs. */
async function runSubscriber(combination: Combination, way: string): Promise<RunResult> {
  const { directory } = await fixtureTree(combination);
  return runFixture(combination, 'channel.cjs', {
    preload: 'none',
    args: [way],
    flags: ['--require', path.join(directory, 'instrumented-without-sdk.cjs')],
    env: { LOOPWATCH_HANG_THRESHOLD_MS: '400', OTEL_TRACES_EXPORTER: 'none' },
  });
}

/** The default of `blockedThresholdMs`. */
const THRESHOLD_MS = 100;

type Received = BlockMessage & { readonly at: number };

function messageOf({ notes }: RunResult, name: string, thread = 'main'): Received {
  return notes.get(`loopwatch:${name} ${thread} renderInvoice`) as Received;
}

describe.each(
  sampledCombinations(20, 26).map((combination) => [describeCombination(combination), combination] as const),
)('%s: without an SDK, diagnostics_channel', (_label, combination) => {
  test('gets the block of the main thread, and its hang afterwards', async () => {
    const result = await runSubscriber(combination, 'plain');
    expectCleanExit(result);
    expect([result.stdout, result.stderr]).toEqual(['', '']);
    const block = messageOf(result, 'block');
    // A busy host may leave the thread less CPU time than makes a block.
    const ownMs = block.durationMs - (block.runQueueTimeMs ?? 0);
    const cause = ownMs < THRESHOLD_MS ? 'cpu_starved' : 'javascript';
    expect(block).toMatchObject({ cause, stackQuality: 'live', culprit: { lineNumber: 10 } });
    expect(block.durationMs).toBeGreaterThanOrEqual(895);
    const hang = messageOf(result, 'hang');
    expect(hang.durationMs).toBeLessThan(block.durationMs);
    // Nothing runs inside the blocked code. The program notes the time by the wall clock, which is adjusted now and then.
    expect(hang.at).toBeGreaterThanOrEqual(block.startEpochMs + block.durationMs - 20);
    expect(Math.abs(hang.startEpochMs - block.startEpochMs)).toBeLessThan(block.durationMs / 2);
  });

  test('gets the block of a worker in the main thread, and its hang while it lasts', async () => {
    const result = await runSubscriber(combination, 'worker');
    expectCleanExit(result);
    const block = messageOf(result, 'block', 'worker');
    expect(block.durationMs).toBeGreaterThanOrEqual(895);
    const hang = messageOf(result, 'hang', 'worker');
    expect(hang.threadId).toBe(block.threadId);
    expect(hang.at).toBeLessThan(block.startEpochMs + block.durationMs);
  });

  test('keeps the error of a subscriber from the application', async () => {
    const result = await runSubscriber(combination, 'throw');
    expectCleanExit(result);
    expect(result.stderr).toBe('');
    expect(messageOf(result, 'block').durationMs).toBeGreaterThan(0);
    expect(result.notes.get('ended')).toBe(true);
  });
});
