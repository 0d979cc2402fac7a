import { describe, expect, test } from '@jest/globals';
import { describeCombination, epochMs, histogram, oldestAndNewest } from '@loopwatch/test-support';

import { ATTR_BLOCKED_STACK_QUALITY, ATTR_CODE_FUNCTION_NAME, METRIC_EVENT_LOOP_LAG } from '../../src/semconv.ts';
import { expectCleanExit, runFixture, spansOfBlocks } from './support.ts';
import { node24, runInAllThreads } from './thread-support.ts';

/** Iterations per second of a loop that a heartbeat at half of the default threshold wakes. */
const heartbeatsPerSecond = 20;
/** Far less than the interval of the heartbeat in idle mode. */
const toleranceMs = 60;

const rarely = 'wakes about as rarely for sixteen idle threads as for one';

// Only Linux shows what a thread waits in; elsewhere the heartbeat has no idle mode.
const onLinux = process.platform === 'linux' ? describe : describe.skip;

/** What a thread waits in is the kernel's answer for all. A job for one combination tries its own. */
const newest = oldestAndNewest.at(-1)!;

// Side by side: the programs are at rest for nearly all of their time.
onLinux('A loop with nothing to do stays asleep, and', () => {
  test.concurrent.each([[describeCombination(newest), newest] as const])(
    'the block that wakes it is reported with its culprit and its times: %s',
    async (_label, combination) => {
      const result = await runFixture(combination, 'idle-loop.cjs');
      expectCleanExit(result);
      // One beat a second, of two iterations; each measured stretch begins with a tenth of a second of faster heartbeats.
      expect(result.notes.get('iterationsPerSecond')).toBeLessThan(heartbeatsPerSecond * 0.3);

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
      const livedSeconds = Number(result.notes.get('livedMs')) / 1000;
      expect(count / livedSeconds).toBeGreaterThan(heartbeatsPerSecond * 0.8);
      expect(count / livedSeconds).toBeLessThan(heartbeatsPerSecond * 1.2);
    },
  );

  // From Node 22 on, the watchdog's thread has a name by which the fixture finds it.
  test.concurrent(`the watchdog ${rarely}`, async () => {
    const wakesBeside = async (workers: number): Promise<number> => {
      const result = await runInAllThreads(node24, 'idle-workers.cjs', { args: [String(workers)] });
      expectCleanExit(result);
      return Number(result.notes.get('wakesPerSecond'));
    };
    const [forOne, forMany] = await Promise.all([wakesBeside(1), wakesBeside(16)]);
    expect(forOne).toBeGreaterThan(1);
    // A wake for each thread would make sixteen times as many.
    expect(forMany).toBeLessThan(4 * forOne);
  });
});
