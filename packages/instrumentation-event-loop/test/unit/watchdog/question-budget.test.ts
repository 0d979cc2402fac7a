import { expect, test } from '@jest/globals';

import { SlotInt, SlotTime } from '../../../src/contract/registry-layout.ts';
import { Registry } from '../../../src/contract/registry.ts';
import type { Slot } from '../../../src/contract/slots.ts';
import { BusySampler } from '../../../src/watchdog/busy/busy-sampler.ts';

const STEP_MS = 40;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** The bound, and for how long it is kept where it is not used: as the documentation of the option says. */
const SHARE = 0.003;
const KEPT_MS = 100 * SECOND;

interface Service {
  /** The threads, by how often each may be asked in a second. */
  readonly perSecond: readonly number[];
  /** What the thread does then, and what an answer costs: half of it is the watchdog's. */
  readonly at: (ms: number, random: () => number) => { readonly work: string; readonly costMs: number };
  /** For how long nothing answers, ms: a native call. Its end answers all that has arrived meanwhile. */
  readonly callMs?: number;
}

interface Outcome {
  readonly costMs: number;
  readonly questions: number;
  /** Of all weight and of all answers, the share of each work. */
  readonly weights: Readonly<Record<string, number>>;
  readonly answers: Readonly<Record<string, number>>;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1103515245 + 12345) & 0x7fffffff) / 0x80000000;
}

/** Asks the threads of a saturated service for so long, as the watchdog does. */
function simulate({ perSecond, at, callMs = 0 }: Service, ms: number, seed = 42): Outcome {
  const registry = new Registry();
  const random = seeded(seed);
  let now = SECOND;
  let ownCpuMs = 0;
  const outcome = { costMs: 0, questions: 0 };
  const weights = new Map<string, number>();
  const answers = new Map<string, number>();
  let waiting: (() => void)[] = [];
  const slots: Slot[] = perSecond.map((rate, thread) => {
    const slot = registry.claim(thread, '')!;
    slot.setTime(SlotTime.busySamplesPerSecond, rate);
    return slot;
  });
  const sampler = new BusySampler({
    registry,
    isBusy: () => true,
    ownCpuMs: () => ownCpuMs,
    now: () => now,
    random,
    ask: (_registry, threadId, _expression, observer) => {
      waiting.push(() => {
        const slot = slots[threadId]!;
        const { work, costMs } = at(now, random);
        const arrivals = slot.takeInt(SlotInt.arrivals);
        answers.set(work, (answers.get(work) ?? 0) + arrivals);
        const weight = arrivals / slot.getTime(SlotTime.arrivalsPerSecond);
        weights.set(work, (weights.get(work) ?? 0) + weight);
        slot.setTime(SlotTime.busyAnswerMs, costMs / 3);
        ownCpuMs += costMs / 3;
        outcome.costMs += costMs;
        outcome.questions += 1;
        observer.onAnswer(1);
      });
    },
  });
  for (const end = now + ms; now < end; now += STEP_MS) {
    for (const slot of slots) sampler.look(slot, now, now, undefined);
    if (callMs > 0 && now % callMs !== 0) continue;
    const answered = waiting;
    waiting = [];
    for (const answer of answered) answer();
  }
  return { ...outcome, weights: sharesOf(weights), answers: sharesOf(answers) };
}

function sharesOf(sums: ReadonlyMap<string, number>): Record<string, number> {
  const total = [...sums.values()].reduce((sum, value) => sum + value, 0);
  return Object.fromEntries([...sums].map(([work, value]) => [work, value / total]));
}

const costs: [string, Service['at'], number][] = [
  ['nothing', () => ({ work: 'a', costMs: 0.001 }), 0.001],
  ['1.4 ms', () => ({ work: 'a', costMs: 1.4 }), 1.4],
  ['20 ms', () => ({ work: 'a', costMs: 20 }), 20],
  ['a quarter of a second', () => ({ work: 'a', costMs: 250 }), 250],
  ['0.2 or 40 ms', (_, random) => ({ work: 'a', costMs: random() < 0.9 ? 0.2 : 40 }), 40],
  ['more each minute', (ms) => ({ work: 'a', costMs: Math.min(100, ms / MINUTE) }), 100],
];

test.each(
  costs.flatMap(([name, at, mostMs]) => [[5], [1], [5, 5, 5, 5]].map((rates) => [name, rates, at, mostMs] as const)),
)('where an answer costs %s, threads at %j a second take 0.3 %% of a core at most', (_name, perSecond, at, mostMs) => {
  const lengthMs = 20 * MINUTE;
  const { costMs } = simulate({ perSecond, at }, lengthMs);
  // The rate halves with each 20 s of debt; a question is paid for when it is answered.
  const wanted = (perSecond.reduce((sum, rate) => sum + rate, 0) * mostMs) / SECOND;
  const debtMs = 20 * SECOND * Math.max(0, Math.log2(wanted / SHARE)) + (3 * mostMs) / SHARE;
  expect(costMs).toBeLessThanOrEqual(SHARE * (lengthMs + KEPT_MS + debtMs));
  expect(costMs).toBeGreaterThan(0.9 * Math.min(SHARE * lengthMs, 0.1 * lengthMs * wanted));
});

test('a rate above the default one may take more in proportion', () => {
  const at: Service['at'] = () => ({ work: 'a', costMs: 1.4 });
  const lengthMs = 60 * MINUTE;
  const share = simulate({ perSecond: [50], at }, lengthMs).costMs / lengthMs;
  expect(share / SHARE).toBeGreaterThan(9.5);
  expect(share / SHARE).toBeLessThan(10.8);
});

test('the first minute is asked at the full rate, and so is one after a quiet time', () => {
  const quietFrom = 30 * MINUTE;
  const perMinute = new Map<number, number>();
  const at: Service['at'] = (ms) => {
    const minute = Math.floor(ms / MINUTE);
    perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1);
    return { work: 'a', costMs: ms < quietFrom || ms > quietFrom + 5 * MINUTE ? 1.4 : 0 };
  };
  simulate({ perSecond: [5], at }, 40 * MINUTE);
  expect(perMinute.get(0)).toBeGreaterThan(250);
  expect(perMinute.get(20)).toBeLessThan(160);
  expect(perMinute.get(35)).toBeGreaterThan(250);
});

const COSTS_MS: Readonly<Record<string, number>> = { cheap: 0.5, dear: 12 };

/** `dear` work is a quarter of the time, in turns of that length. */
function turns(turnMs: number): Service['at'] {
  return (ms) => {
    const work = ms % turnMs < turnMs / 4 ? 'dear' : 'cheap';
    return { work, costMs: COSTS_MS[work]! };
  };
}

test.each([
  ['many turns between two questions', turns(160), 0],
  ['turns as long as the questions are apart', turns(4 * SECOND), 0],
  ['turns as long as the rate takes to change', turns(2 * MINUTE), 0],
  ['native calls, each of which answers at its end', turns(960), 240],
])('with %s, the shares are those of the time, whatever the answers cost', (_name, at, callMs) => {
  const lengthMs = 60 * MINUTE;
  const { weights } = simulate({ perSecond: [5, 5], at, callMs }, lengthMs);
  expect(weights.dear).toBeGreaterThan(0.23);
  expect(weights.dear).toBeLessThan(0.27);
});

test('an incident that was asked more often than what followed has no larger share for it', () => {
  const at: Service['at'] = (ms) => ({ work: ms < 3 * MINUTE ? 'incident' : 'after', costMs: 3 });
  const all = [1, 2, 3, 4, 5].map((seed) => simulate({ perSecond: [5], at }, 15 * MINUTE, seed));
  const mean = (of: (outcome: Outcome) => number): number =>
    all.reduce((sum, outcome) => sum + of(outcome), 0) / all.length;
  expect(mean(({ weights }) => weights.incident!)).toBeCloseTo(0.2, 1);
  expect(mean(({ answers }) => answers.incident!)).toBeGreaterThan(0.3);
});
