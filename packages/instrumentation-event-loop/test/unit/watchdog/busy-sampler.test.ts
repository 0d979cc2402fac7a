import { expect, test } from '@jest/globals';

import { IdleMode, Sleep, SlotInt, SlotTime } from '../../../src/contract/registry-layout.ts';
import { Registry } from '../../../src/contract/registry.ts';
import type { Slot } from '../../../src/contract/slots.ts';
import type { Answer, QuestionObserver } from '../../../src/watchdog/ask/answer.ts';
import { BusySampler } from '../../../src/watchdog/busy/busy-sampler.ts';
import type { Stall } from '../../../src/watchdog/busy/busy-sampler.ts';

/** A generator that is the same in each run. */
function seeded(): () => number {
  let state = 42;
  return () => (state = (state * 1103515245 + 12345) & 0x7fffffff) / 0x80000000;
}

interface Setup {
  readonly slot: Slot;
  readonly asked: QuestionObserver[];
  /** Looks each millisecond; returns how often the thread was asked. */
  readonly run: (ms: number, stall?: Stall) => number;
  readonly answerAll: (answer?: Answer) => void;
  isBusy: boolean | undefined;
}

function setUp(perSecond = 100): Setup {
  const registry = new Registry();
  const slot = registry.claim(0, 'main')!;
  slot.setTime(SlotTime.tickAt, 1);
  slot.setTime(SlotTime.busySamplesPerSecond, perSecond);
  const asked: QuestionObserver[] = [];
  let now = 1000;
  const setup: Setup = {
    slot,
    asked,
    isBusy: true,
    run: (ms, stall) => {
      const before = asked.length;
      for (const end = now + ms; now < end; now += 1) sampler.look(slot, 1, now, stall);
      return asked.length - before;
    },
    answerAll: (answer = 1) => {
      for (const observer of asked.splice(0)) observer.onAnswer(answer);
    },
  };
  const sampler = new BusySampler({
    registry,
    isBusy: () => setup.isBusy,
    ownCpuMs: () => 0,
    ask: (_registry, _threadId, _expression, observer) => asked.push(observer),
    now: () => now,
    random: seeded(),
  });
  return setup;
}

test('arrivals come at the rate that the thread wants, whatever it answers', () => {
  const { slot, run, answerAll } = setUp(100);
  let counted = 0;
  for (let i = 0; i < 1000; i++) {
    run(100);
    counted += slot.takeInt(SlotInt.arrivals);
    answerAll();
  }
  expect(counted / 100).toBeGreaterThan(97);
  expect(counted / 100).toBeLessThan(103);
});

test('one question waits at a time, and what arrives meanwhile counts for its answer', () => {
  const { slot, run } = setUp(100);
  expect(run(1000)).toBe(1);
  expect(slot.getInt(SlotInt.arrivals)).toBeGreaterThan(70);
});

test('what an answer has not counted is not counted by the next one', () => {
  const { slot, run, answerAll } = setUp(100);
  run(500);
  answerAll();
  expect(slot.getInt(SlotInt.arrivals)).toBe(0);
});

test('what arrived for a question that was not put belongs to the next answer', () => {
  const { slot, run, asked } = setUp(100);
  run(500);
  const waiting = slot.getInt(SlotInt.arrivals);
  asked.pop()!.onAnswer(undefined);
  expect(slot.getInt(SlotInt.arrivals)).toBe(waiting);
  expect(run(500)).toBe(1);
});

test.each([
  ['that polls', (setup: Setup) => (setup.isBusy = false)],
  [
    'of a pool that sleeps between two tasks',
    ({ slot }: Setup) => {
      slot.setInt(SlotInt.sleep, Sleep.asleep);
    },
  ],
  [
    'whose option is 0',
    ({ slot }: Setup) => {
      slot.setTime(SlotTime.busySamplesPerSecond, 0);
    },
  ],
])('a thread %s is never asked', (_what, change) => {
  const setup = setUp(100);
  change(setup);
  expect(setup.run(10_000)).toBe(0);
  expect(setup.slot.getInt(SlotInt.arrivals)).toBe(0);
});

test('where the system does not show that a thread polls, only a loop that is not quiet is asked', () => {
  const setup = setUp(100);
  setup.isBusy = undefined;
  expect(setup.run(1000)).toBe(1);
  setup.answerAll();
  setup.slot.setInt(SlotInt.idleMode, IdleMode.wanted);
  expect(setup.run(1000)).toBe(0);
});

test('a blocked thread that is being asked for a sample is not asked twice: the sample counts for the arrivals', () => {
  const { slot, run } = setUp(100);
  expect(run(1000, { phase: 'busy', isAsking: true })).toBe(0);
  expect(slot.getInt(SlotInt.arrivals)).toBeGreaterThan(70);
});

test('a thread that sleeps in a block on purpose is not woken', () => {
  const { slot, run } = setUp(100);
  expect(run(1000, { phase: 'idle', isAsking: false })).toBe(0);
  expect(slot.getInt(SlotInt.arrivals)).toBe(0);
});

test('the watchdog wakes early for a busy thread, and never for one in idle mode', () => {
  const registry = new Registry();
  const slot = registry.claim(0, 'main')!;
  slot.setTime(SlotTime.busySamplesPerSecond, 100);
  const sampler = new BusySampler({
    registry,
    isBusy: () => false,
    ownCpuMs: () => 0,
    now: () => 1000,
    random: () => 0.5,
  });
  const nextAt = sampler.look(slot, 1, 1000, undefined);
  expect(nextAt).toBeGreaterThan(1000);
  expect(nextAt).toBeLessThan(1020);
  slot.setInt(SlotInt.idleMode, IdleMode.active);
  expect(sampler.look(slot, 1, 1001, undefined)).toBe(Infinity);
});

test('the share of a function is that of its time, also where a native call delays the answers', () => {
  // Each 40 ms: 10 ms of JavaScript, which answers at once, and 30 ms of one native call, which answers at its end.
  const { slot, run, answerAll } = setUp(50);
  let native = 0;
  let javascript = 0;
  for (let i = 0; i < 4000; i++) {
    for (let ms = 0; ms < 10; ms++) {
      run(1);
      javascript += slot.takeInt(SlotInt.arrivals);
      answerAll();
    }
    run(30);
    native += slot.takeInt(SlotInt.arrivals);
    answerAll();
  }
  expect(native / (native + javascript)).toBeGreaterThan(0.73);
  expect(native / (native + javascript)).toBeLessThan(0.77);
});
