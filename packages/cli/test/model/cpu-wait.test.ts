import { describe, expect, test } from '@jest/globals';

import { cpuWaitSentence, cpuWaitText, shortCpuWaitText, stretchOf } from '../../src/model/blocks/cpu-wait.js';
import { rankCulprits, timesOf } from '../../src/model/blocks/culprits.js';
import { createRecording } from '../../src/model/recording/recording.js';
import type { Cause } from '../../src/model/types.js';
import { makeBlock } from '../support/records.js';

const timed = (durationMs: number, runQueueMs?: number, cause: Cause = 'javascript') => ({
  cause,
  durationMs,
  ...(runQueueMs !== undefined && { runQueueMs }),
});

describe('the stretch by waiting for CPU', () => {
  test.each([
    ['unknown run-queue time', timed(1_000), undefined],
    ['no waiting', timed(1_000, 0), undefined],
    ['as much as every machine has', timed(1_000, 150), undefined],
    ['twice the length', timed(1_000, 500), 2],
    ['a measured time above the duration', timed(1_000, 1_100), 99],
    ['a block of no duration', timed(0, 0), undefined],
    ['a block that waiting for CPU caused', timed(150, 120, 'cpu_starved'), undefined],
    ['a block that slept, which questions wake', timed(800, 366, 'waiting'), undefined],
  ])('is defined for %s', (_what, times, stretch) => {
    expect(stretchOf(times)).toBe(stretch);
  });

  test('is the duration by the duration without the run-queue time, in words', () => {
    expect(cpuWaitText(timed(3_900, 2_460))).toBe('stretched 2.7× by waiting for CPU');
    expect(shortCpuWaitText(timed(3_900, 2_460))).toBe('stretched 2.7×');
    expect(cpuWaitText(timed(10_000, 9_300))).toBe('stretched 14× by waiting for CPU');
    expect(cpuWaitText(timed(10_000, 10_000))).toBe('stretched >99× by waiting for CPU');
    expect(cpuWaitSentence(timed(3_900, 2_460))).toBe(
      'Waiting for CPU stretched it 2.7×, from 1.44 s to 3.90 s: a busy host or a CPU limit.',
    );
  });

  test('is a share for a block that would have been none', () => {
    expect(cpuWaitText(timed(150, 117, 'cpu_starved'))).toBe('78 % of it waiting for CPU');
    expect(cpuWaitText(timed(150, 160, 'cpu_starved'))).toBe('100 % of it waiting for CPU');
    expect(cpuWaitText(timed(150, undefined, 'cpu_starved'))).toBeUndefined();
    expect(cpuWaitSentence(timed(150, 117, 'cpu_starved'))).toBe('The thread spent 78 % of it waiting for CPU.');
  });

  test('of a culprit is that of its blocks together', () => {
    const blocks = [
      makeBlock({ id: 'a', durationMs: 900, runQueueMs: 600 }),
      makeBlock({ id: 'b', durationMs: 100, runQueueMs: 0 }),
    ];
    const [culprit] = rankCulprits(blocks);
    expect(stretchOf(timesOf(culprit!))).toBeCloseTo(2.5);
  });

  test('is in the recording, for blocks and culprits', () => {
    const { blocks, culprits } = createRecording({
      loopwatchVersion: '1.2.3',
      command: ['node'],
      directory: '/',
      startedMs: 0,
      durationMs: 5_000,
      thresholdMs: 100,
      exit: { code: 0 },
      processes: [],
      blocks: [
        makeBlock({ id: 'stretched', durationMs: 900, runQueueMs: 600 }),
        makeBlock({ id: 'not', startMs: 5_000, durationMs: 900, runQueueMs: 0 }),
      ],
      droppedBlocks: 0,
      lagPoints: [],
      sources: {},
    });
    expect(blocks.map(({ stretch }) => stretch)).toEqual([3, undefined]);
    expect(culprits.map(({ stretch }) => stretch)).toEqual([1.5]);
  });
});
