import { describe, expect, test } from '@jest/globals';

import { profilesOfTrace } from '../../src/profile/trace.ts';

const callFrame = (functionName: string) => ({
  functionName,
  url: 'file:///app/a.mjs',
  lineNumber: 4,
  columnNumber: 0,
});
const part = (id: string, data: unknown, tid = 99) => ({ pid: 7, tid, name: 'ProfileChunk', id, args: { data } });
const label = (tid: number, threadId: number) => ({
  pid: 7,
  tid,
  name: `time::loopwatch-field ${threadId} 1000000.5 50000.25`,
});

/** The main thread and a worker thread that was terminated; V8's sampler of each is a thread of its own. */
const events = [
  { pid: 7, tid: 7, name: 'Profile', id: '0x1', args: { data: { startTime: 100 } } },
  label(7, 0),
  { pid: 7, tid: 12, name: 'Profile', id: '0x2', args: { data: { startTime: 300 } } },
  label(12, 1),
  part('0x2', {
    cpuProfile: { nodes: [{ id: 1, callFrame: { functionName: '(root)' } }], samples: [1] },
    timeDeltas: [10],
  }),
  part('0x1', { cpuProfile: { nodes: [{ id: 1, callFrame: callFrame('main') }], samples: [1] }, timeDeltas: [5] }),
  part('0x2', {
    cpuProfile: { nodes: [{ id: 2, parent: 1, callFrame: callFrame('task') }], samples: [2, 2] },
    timeDeltas: [20, 30],
  }),
  part('0x1', { endTime: 900 }),
  { pid: 7, tid: 7, name: 'time::loopwatch-field-iteration 64 40.5', ts: 700 },
  { pid: 7, tid: 12, name: 'time::loopwatch-field-iteration 64 -1', ts: 720 },
  { pid: 7, tid: 7, name: 'time::loopwatch-field-iteration 63 40.5', ts: 750 },
];
const whole = JSON.stringify({ traceEvents: events });

describe('trace events of a process', () => {
  test('have a profile of each of its threads, put together from its parts', () => {
    expect(profilesOfTrace(whole)).toMatchObject([
      { pid: 7, threadId: 0, profile: { startTime: 100, endTime: 900, samples: [1], timeDeltas: [5] } },
      {
        pid: 7,
        threadId: 1,
        timeOriginMs: 1_000_000.5,
        monotonicOriginMs: 50_000.25,
        profile: {
          samples: [1, 2, 2],
          timeDeltas: [10, 20, 30],
          nodes: [
            { id: 1, callFrame: { functionName: '(root)', url: '' } },
            { id: 2, parent: 1, callFrame: callFrame('task') },
          ],
        },
      },
    ]);
  });

  test("have the ends of the first iterations of their thread, and the start of the main thread's loop", () => {
    const [main, worker] = profilesOfTrace(whole);
    expect([main?.loopStartMs, main?.iterationEnds]).toEqual([40.5, [700, 750]]);
    expect([worker?.loopStartMs, worker?.iterationEnds]).toEqual([undefined, [720]]);
  });

  test('of a thread that was terminated end with its last sample', () => {
    expect(profilesOfTrace(whole)[1]!.profile.endTime).toBe(360);
  });

  test.each([
    ['without its end', whole.slice(0, -2)],
    ['that ends within an event', whole.slice(0, -20)],
  ])('are read from a file %s', (_label, text) => {
    expect(profilesOfTrace(text)[1]!.profile.samples).toEqual([1, 2, 2]);
  });

  test('of a thread that the profiler has not labelled, or in no file, are no profile', () => {
    expect(
      profilesOfTrace(JSON.stringify({ traceEvents: events.filter(({ name }) => !name.startsWith('time')) })),
    ).toEqual([]);
    expect(profilesOfTrace('')).toEqual([]);
  });
});
