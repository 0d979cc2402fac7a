import { expect, test } from '@jest/globals';
import { PendingBlocks } from '../../../src/monitor/pending-blocks.js';
import { builtinFrame, busyPeriod, frame, judgeContext, reading, sampleAt } from '../support/builders.js';

/** From 1000 to 1300; the thread used `usedMs` of CPU. */
const period = (usedMs: number) => busyPeriod({ after: reading(1300, 50, 200 + usedMs, 10) });

test.each([
  ['the main thread', false, 60],
  ['a worker', true, 25],
] as const)('a period of %s in which the thread may have been suspended is judged later', (_, isWorker, delayMs) => {
  const pending = new PendingBlocks(isWorker);
  pending.add(period(250), 1300);
  expect(pending.judgeDue(1300 + delayMs - 2, judgeContext())).toEqual([]);
  expect(pending.judgeDue(1300 + delayMs, judgeContext())).toHaveLength(1);
});

test('a period in which the thread ran all the time is judged at once: its process may be killed', () => {
  const pending = new PendingBlocks(false);
  pending.add(period(290), 1300);
  expect(pending.judgeDue(1302, judgeContext())).toHaveLength(1);
});

test('time in which the thread waited for a CPU is no suspension either', () => {
  const pending = new PendingBlocks(false);
  pending.add(busyPeriod({ after: reading(1300, 50, 300, 200) }), 1300);
  expect(pending.judgeDue(1302, judgeContext())).toHaveLength(1);
});

test('an exclusion whose end becomes known replaces the open one', () => {
  const pending = new PendingBlocks(false);
  pending.exclude({ start: 900, end: 10_900 });
  pending.add(period(290), 1300);
  expect(pending.judgeDue(1302, judgeContext())).toEqual([]);
  pending.exclude({ start: 900, end: 950 });
  pending.add(period(290), 1300);
  expect(pending.judgeDue(1302, judgeContext())).toHaveLength(1);
  expect(pending.excluded).toEqual([{ start: 900, end: 950 }]);
});

test('a pending period is a block only as far as the judgement says so', () => {
  const pending = new PendingBlocks(false);
  pending.add(busyPeriod({ startUp: 'likely' }), 1300);
  expect(pending.hasBlock(judgeContext())).toBe(false);
  pending.add(period(290), 1300);
  expect(pending.hasBlock(judgeContext())).toBe(true);
  expect(pending.judgeDue(Infinity, judgeContext())).toHaveLength(1);
});

test('a period without thread times is judged later', () => {
  const pending = new PendingBlocks(false);
  pending.add(busyPeriod({ before: undefined }), 1300);
  expect(pending.judgeDue(1350, judgeContext())).toEqual([]);
  expect(pending.isEmpty).toBe(false);
});

test('a worker that sleeps right after it has computed has computed for the whole block', () => {
  const pending = new PendingBlocks(true);
  const computed = busyPeriod({
    before: reading(1000, 50, 200, 10),
    // Taken when the thread has woken: no reading can be taken while it sleeps.
    after: reading(1550, 50, 490, 12),
    samples: [sampleAt(1100, [frame('hashAll')]), sampleAt(1250, [frame('hashAll')])],
  });
  pending.add(computed, 1550);
  pending.addSleep({ start: 1300, end: 1550 });
  const [block] = pending.judgeDue(Infinity, judgeContext({ threadId: 1 }));
  expect(block).toMatchObject({ times: { cpuMs: 290 }, attribution: { cause: 'javascript' } });
});

test('a thread that is about to be terminated reports its pending block and the current one, once', () => {
  const pending = new PendingBlocks(true);
  pending.add(period(250), 1300);
  const current = busyPeriod({
    start: 1310,
    end: 1560,
    before: undefined,
    samples: [sampleAt(1500, [frame('hashAll')])],
  });
  const ends = pending.last(current, judgeContext({ threadId: 1 })).map(({ end }) => end);
  expect(ends).toEqual([1300, 1560]);
  // The thread may still return from its task before it is terminated.
  pending.add({ ...current, end: 1570 }, 1570);
  expect(pending.judgeDue(Infinity, judgeContext({ threadId: 1 }))).toEqual([]);
});

test('only a worker waits for its next task: what the main thread does in a sleep with nothing pending is a block', () => {
  const asleep = (threadId: number) => {
    const pending = new PendingBlocks(threadId !== 0);
    const samples = [sampleAt(1050, [builtinFrame('Atomics.wait'), frame('onMessage')], { pending: [] })];
    pending.add(busyPeriod({ samples, after: reading(1300, 50, 205, 12) }), 1300);
    return { blocks: pending.judgeDue(Infinity, judgeContext({ threadId })).length, excluded: pending.excluded };
  };
  expect(asleep(3)).toEqual({ blocks: 0, excluded: [{ start: 1000, end: 1300 }] });
  expect(asleep(0)).toEqual({ blocks: 1, excluded: [] });
});
