import { expect, test } from '@jest/globals';
import type { JudgeContext } from '../../../src/blocks/judge.js';
import { contextReader } from '../support/context-reader.js';
import type { HangReport } from '../../../src/contract/hang-report.js';
import { Judging, type JudgingOptions } from '../../../src/monitor/judging.js';
import { OwnWork } from '../../../src/monitor/own-work.js';
import { Subscribers } from '../../../src/monitor/subscribers.js';
import { busyPeriod, judgeContext } from '../support/builders.js';
import { subscriber } from '../support/subscriber.js';

/** Without subscribers, and without a timer that fires. */
function judgingOf(
  options: Pick<JudgingOptions, 'now' | 'ownWork' | 'judgeContext'> & Partial<JudgingOptions>,
): Judging {
  return new Judging({
    subscribers: new Subscribers(),
    timers: { setTimeout: () => undefined },
    isWorker: false,
    threadName: 'main',
    contexts: contextReader,
    isMapping: () => false,
    heldUntil: () => -Infinity,
    onJudged: () => undefined,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
}

// At the exit of a process, or before a span ends: without a timer.
test('what is judged and reported at once is work of this package, too', () => {
  let now = 1_000;
  const ownWork = new OwnWork(() => now);
  const judging = judgingOf({
    now: () => now,
    ownWork,
    judgeContext: () => {
      now += 150; // a busy host
      return { excluded: [], ownWork: ownWork.intervals } as Partial<JudgeContext> as JudgeContext;
    },
  });
  judging.flush();
  expect(ownWork.intervals).toEqual([{ start: 1_000, end: 1_150 }]);
});

test('the watchdog can tell that it has interrupted the report of a block', () => {
  const seen: boolean[] = [];
  const judging = judgingOf({
    now: () => 1_000,
    ownWork: new OwnWork(() => 1_000),
    isWorker: true,
    threadName: 'worker',
    judgeContext: () => {
      seen.push(judging.isJudging);
      return { excluded: [] } as Partial<JudgeContext> as JudgeContext;
    },
  });
  judging.flush();
  expect([...seen, judging.isJudging]).toEqual([true, false]);
});

test('what is held is judged at the release, and when it has been held for too long', () => {
  let now = 1_000;
  let judgements = 0;
  let heldUntil = 6_000;
  const timers: (() => void)[] = [];
  const judging = judgingOf({
    now: () => now,
    timers: { setTimeout: (callback: () => void) => timers.push(callback) },
    ownWork: new OwnWork(() => now),
    judgeContext,
    heldUntil: () => heldUntil,
    onJudged: () => judgements++,
  });
  judging.addPeriod(busyPeriod());
  now = 1_500;
  timers.pop()?.();
  expect(judgements).toBe(0);
  heldUntil = -Infinity;
  judging.onRelease();
  expect(judgements).toBe(1);

  heldUntil = 6_000;
  judging.addPeriod(busyPeriod({ start: 2_000, end: 2_300 }));
  now = 6_500;
  timers.pop()?.();
  expect(judgements).toBe(2);
});

test('the report of a block in the callback that blocked is no block of that callback', () => {
  let now = 1_000;
  const ownWork = new OwnWork(() => now);
  const subscribers = new Subscribers();
  subscribers.add(
    subscriber({
      hangReport: ({ durationMs }) => ({
        target: null,
        resource: {},
        parent: undefined,
        links: [],
        attributes: { durationMs },
      }),
    }),
  );
  const said: number[][] = [];
  const judging = judgingOf({
    subscribers,
    now: () => now,
    ownWork,
    judgeContext: () => judgeContext({ ownWork: ownWork.intervals }),
  });
  const askAfter = (ms: number): void => {
    now += ms;
    const reports = JSON.parse(judging.hangReports(busyPeriod({ start: 1_000, end: now }))) as HangReport[];
    said.push(reports.map(({ attributes }) => attributes['durationMs'] as number));
  };
  ownWork.during(() => {
    askAfter(200); // a busy host
  });
  askAfter(200);
  expect(said).toEqual([[], [200]]);
});
