import { beforeEach, describe, expect, test } from '@jest/globals';

import {
  Asking,
  Header,
  IdleMode,
  Sleep,
  SlotInt,
  SlotTime,
  BusyQuestion,
} from '../../../src/contract/registry-layout.ts';
import { Registry } from '../../../src/contract/registry.ts';
import type { Slot } from '../../../src/contract/slots.ts';
import { RUNS_ON } from '../../../src/watchdog/ask/answer.ts';
import type { Answer, QuestionObserver } from '../../../src/watchdog/ask/answer.ts';
import { BusySampler } from '../../../src/watchdog/busy/busy-sampler.ts';
import type { Stall } from '../../../src/watchdog/busy/busy-sampler.ts';

/** A generator that is the same in each run. */
function seeded(): () => number {
  let state = 42;
  return () => (state = (state * 1103515245 + 12345) & 0x7fffffff) / 0x80000000;
}

interface Setup {
  readonly registry: Registry;
  readonly slot: Slot;
  readonly asked: QuestionObserver[];
  /** The expressions of each question without a reply. */
  readonly withoutReply: (readonly string[])[];
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
  const withoutReply: (readonly string[])[] = [];
  let now = 1000;
  const setup: Setup = {
    registry,
    slot,
    asked,
    withoutReply,
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
    ask: (_registry, _threadId, _expression, observer) => asked.push(observer),
    askWithoutReply: (_registry, expressions) => withoutReply.push(expressions) > 0,
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
  const sampler = new BusySampler({ registry, isBusy: () => false, random: () => 0.5 });
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

describe('where V8 is known to evaluate in interrupts', () => {
  let setup: Setup;

  beforeEach(() => {
    setup = setUp(100);
    Atomics.store(setup.registry.ints, Header.asking, Asking.byInterrupt);
  });

  test('a question has no reply, and the next one comes when the registry shows the answer', () => {
    const { slot, withoutReply, asked, run } = setup;
    run(40);
    expect([withoutReply.length, asked.length, slot.getInt(SlotInt.busyQuestion)]).toEqual([1, 0, BusyQuestion.asked]);
    slot.setInt(SlotInt.busyQuestion, BusyQuestion.none);
    run(40);
    expect([withoutReply.length, asked.length]).toEqual([2, 0]);
  });

  test('a worker is asked with a reply', () => {
    const { withoutReply, asked, slot, run } = setup;
    slot.setInt(SlotInt.threadId, 3);
    run(200);
    expect([withoutReply.length, asked.length]).toEqual([0, 1]);
  });

  test('what arrives while it is open counts for its answer, and it is asked about once', () => {
    const { slot, withoutReply, asked, run } = setup;
    run(1000);
    expect([withoutReply.length, asked.length]).toEqual([1, 1]);
    expect(slot.getInt(SlotInt.arrivals)).toBeGreaterThan(70);
  });

  test.each<[string, Answer]>([
    ['it was not terminated', 0],
    ['it was', 1],
    ['V8 evaluates nothing after it was', RUNS_ON],
  ])('asks again after %s', (_what, answer) => {
    const { slot, withoutReply, asked, run, answerAll } = setup;
    run(500);
    expect(asked.length).toBe(1);
    slot.setTime(SlotTime.tickAt, 2); // the thread is not late any more
    answerAll(answer);
    run(100);
    expect(withoutReply.length).toBe(2);
  });
});
