import { describe, expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination, epochMs, histogram } from '@loopwatch/test-support';

import { ATTR_BLOCKED_STACK_QUALITY, ATTR_CODE_FUNCTION_NAME, METRIC_EVENT_LOOP_LAG } from '../../src/semconv.ts';
import { expectCleanExit, runFixture, spansOfBlocks } from './support.ts';
import { node24, runInAllThreads } from './thread-support.ts';

/** Turns of a loop that is woken by a heartbeat at half of the default threshold. */
const heartbeatsASecond = 20;
/** Far less than a heartbeat at rest could be off, ms. */
const toleranceMs = 60;

// The kernel says where a thread is on Linux alone; elsewhere the heartbeat never rests.
const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: a loop with nothing to do is left asleep, and',
  (_label, combination) => {
    test('the block that wakes it is told as any other', async () => {
      const result = await runFixture(combination, 'idle-loop.cjs');
      expectCleanExit(result);
      // A beat a second, of two turns; each stretch that is looked at begins with a tenth of a second of heartbeats.
      expect(result.notes.get('turnsASecond')).toBeLessThan(heartbeatsASecond * 0.3);

      const spans = spansOfBlocks(result);
      expect(
        spans.map(({ attributes }) => [attributes[ATTR_CODE_FUNCTION_NAME], attributes[ATTR_BLOCKED_STACK_QUALITY]]),
      ).toEqual([
        ['spinInTimer', 'live'],
        ['spinOnMessage', 'live'],
        ['waitOnMessage', 'post_native'],
      ]);
      for (const [index, truth] of result.truths.entries()) {
        expect(Math.abs(epochMs(spans[index]!.startTime) - truth.startEpochMs)).toBeLessThan(toleranceMs);
        expect(Math.abs(epochMs(spans[index]!.endTime) - truth.endEpochMs)).toBeLessThan(toleranceMs);
      }

      const { count, max } = histogram(result, METRIC_EVENT_LOOP_LAG)!;
      const longestSeconds = Math.max(...result.truths.map(({ startNowMs, endNowMs }) => endNowMs - startNowMs)) / 1000;
      expect(max).toBeGreaterThan(longestSeconds - 0.1);
      expect(max).toBeLessThan(longestSeconds + 0.1);
      const lived = Number(result.notes.get('livedMs')) / 1000;
      expect(count / lived).toBeGreaterThan(heartbeatsASecond * 0.8);
      expect(count / lived).toBeLessThan(heartbeatsASecond * 1.2);
    });
  },
);

// The watchdog's thread has a name of its own from Node 22 on.
onLinux('The watchdog', () => {
  test('looks at many threads that rest as seldom as at one', async () => {
    const wakes: number[] = [];
    for (const workers of [1, 16]) {
      const result = await runInAllThreads(node24, 'idle-workers.cjs', { args: [String(workers)] });
      expectCleanExit(result);
      wakes.push(Number(result.notes.get('wakesASecond')));
    }
    const [ofOne, ofMany] = wakes as [number, number];
    expect(ofOne).toBeGreaterThan(1);
    // Each by itself, they would be sixteen times as many.
    expect(ofMany).toBeLessThan(4 * ofOne);
  });
});
