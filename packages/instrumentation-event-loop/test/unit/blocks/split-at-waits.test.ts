import { describe, expect, test } from '@jest/globals';
import type { BusyPeriod } from '../../../src/blocks/busy-period.js';
import { splitAtWaits } from '../../../src/blocks/split.js';
import type { Frame, Sample } from '../../../src/contract/model.js';
import { builtinFrame, busyPeriod, entryFrame, frame, nodeFrame, reading, sampleAt } from '../support/builders.js';

const asleepInLock = { runnable: 2, asleep: 20, inLock: 20 };

/** A question at 1080, answered at 1280, when the thread has used `cpuMs` since 1000. */
function wake(frames: readonly Frame[], cpuMs = 10, overrides: Partial<Sample> = {}): Sample {
  return sampleAt(1280, frames, {
    requestedAt: 1080,
    threadTimes: { cpuMs: 200 + cpuMs, runQueueMs: 10 },
    ...overrides,
  });
}

function waiting(samples: readonly Sample[], overrides: Partial<BusyPeriod> = {}): BusyPeriod {
  return busyPeriod({ samples, looks: asleepInLock, ...overrides });
}

function boundsOf({ parts, idle }: ReturnType<typeof splitAtWaits>): unknown {
  return {
    parts: parts.map(({ start, end, samples }) => [start, end, samples.length]),
    waits: idle.map(({ start, end }) => [start, end]),
  };
}

describe('a sleep in a lock without JavaScript on the stack', () => {
  test.each([
    ['nothing', []],
    [
      'a function of Node that is called next',
      [nodeFrame('processTimers', { ...entryFrame('processTimers'), fileName: 'node:internal/timers' })],
    ],
    ['a builtin that V8 calls next', [builtinFrame('FinalizationRegistry.cleanupSome')]],
  ])('is cut out: the sample shows %s', (_label, frames) => {
    expect(boundsOf(splitAtWaits(waiting([wake(frames)])))).toEqual({
      parts: [
        [1000, 1010, 0],
        [1280, 1300, 0],
      ],
      waits: [[1010, 1280]],
    });
  });

  test('leaves the work before it, with its samples and its time on a CPU', () => {
    const work = sampleAt(1150, [frame('createSpans')], { threadTimes: { cpuMs: 340, runQueueMs: 10 } });
    const { parts, idle } = splitAtWaits(waiting([work, wake([], 150, { requestedAt: 1200 })]));
    expect(idle).toEqual([{ start: 1160, end: 1280 }]);
    expect(parts[0]).toMatchObject({
      start: 1000,
      end: 1160,
      samples: [work],
      after: { at: 1160, times: { cpuMs: 350 } },
    });
    expect(parts[1]).toMatchObject({
      start: 1280,
      end: 1300,
      samples: [],
      before: { at: 1280, times: { cpuMs: 350 } },
    });
  });

  test('leaves to each part the spans that ended in it', () => {
    const endings = [1000, 1005, 1290, 1300].map((at) => ({ at, context: undefined, asyncId: 0, trackedSpan: {} }));
    const { parts } = splitAtWaits(waiting([wake([])], { endings }));
    expect(parts.map((part) => part.endings.map(({ at }) => at))).toEqual([
      [1000, 1005],
      [1290, 1300],
    ]);
  });

  test('begins with the question where the CPU time is unknown', () => {
    const period = waiting([wake([], 0, { threadTimes: undefined })], { before: reading(1000, 50) });
    expect(splitAtWaits(period).idle).toEqual([{ start: 1080, end: 1280 }]);
  });
});

describe('nothing is cut out', () => {
  test.each<[string, BusyPeriod]>([
    ['the sample shows code of the application', waiting([wake([frame('createSpans')])])],
    ['it shows a function of Node within its work', waiting([wake([nodeFrame('listOnTimeout')])])],
    ['the thread slept with work pending', waiting([wake([], 10, { pending: ['TCPSocketWrap×1'] })])],
    ['the thread ran', waiting([wake([])], { looks: { runnable: 20, asleep: 2, inLock: 2 } })],
    ['it slept elsewhere than in a lock', waiting([wake([])], { looks: { runnable: 0, asleep: 20, inLock: 3 } })],
    ['nobody has looked', waiting([wake([])], { looks: undefined })],
    ['it was reported as a hang', waiting([wake([])], { hang: { traceId: '1'.repeat(32), spanId: '2'.repeat(16) } })],
    ['the time was used on a CPU', waiting([wake([], 275)])],
  ])('%s', (_label, period) => {
    expect(splitAtWaits(period)).toEqual({ parts: [period], idle: [] });
  });
});
