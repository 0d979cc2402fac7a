import { beforeEach, expect, test } from '@jest/globals';
import { sharedNow } from '../../../src/contract/clock.js';
import { Ending, Question, SlotInt, SlotTime } from '../../../src/contract/registry-layout.js';
import { Registry } from '../../../src/contract/registry.js';
import type { Slot } from '../../../src/contract/slots.js';
import { awaitAnswers, awaitLastAnswer } from '../../../src/monitor/await-answers.js';

let registry: Registry;
let main: Slot;
let worker: Slot;

beforeEach(() => {
  registry = new Registry();
  main = registry.claim(0, 'main')!;
  worker = registry.claim(7, 'worker')!;
});

function waitedMs(): number {
  const start = sharedNow();
  awaitAnswers(registry);
  return sharedNow() - start;
}

test('a worker that answers is waited for, but not for ever', () => {
  worker.setInt(SlotInt.question, Question.answering);
  expect(waitedMs()).toBeGreaterThanOrEqual(199);
});

test('a worker that has just been asked may be about to answer', () => {
  worker.setInt(SlotInt.question, Question.asked);
  worker.setTime(SlotTime.requestedAt, sharedNow() - 50);
  expect(waitedMs()).toBeGreaterThanOrEqual(49);
});

test('of a worker that is terminated, the last answer is waited for, and it is not asked again', () => {
  const other = registry.claim(8, 'other')!;
  other.setInt(SlotInt.question, Question.answering);
  worker.setInt(SlotInt.question, Question.asked);
  worker.setTime(SlotTime.requestedAt, sharedNow() - 50);
  const start = sharedNow();
  awaitLastAnswer(registry, 7);
  const elapsedMs = sharedNow() - start;
  expect(elapsedMs).toBeGreaterThanOrEqual(49);
  expect([worker, other, main].map((slot) => slot.getInt(SlotInt.ending))).toEqual([
    Ending.terminated,
    Ending.none,
    Ending.none,
  ]);
});

test.each([
  [
    'a worker that was asked long ago and is in a native call',
    () => {
      worker.setInt(SlotInt.question, Question.asked);
      worker.setTime(SlotTime.requestedAt, sharedNow() - 150);
    },
  ],
  [
    'a worker that has answered',
    () => {
      worker.setInt(SlotInt.question, Question.none);
      worker.setTime(SlotTime.requestedAt, sharedNow());
    },
  ],
  [
    'the main thread, which exits',
    () => {
      main.setInt(SlotInt.question, Question.answering);
    },
  ],
  [
    'a worker that has ended',
    () => {
      worker.setInt(SlotInt.question, Question.answering);
      registry.release(worker, 7);
    },
  ],
])('%s is not waited for', (_label, prepare) => {
  prepare();
  // The shorter of two: a host that takes the CPU away for a moment is no wait.
  expect(Math.min(waitedMs(), waitedMs())).toBeLessThan(49);
});
