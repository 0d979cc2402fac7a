import { beforeEach, expect, test } from '@jest/globals';

import { QuestionCost } from '../../../src/watchdog/busy/question-cost.ts';

let cpuMs: number | undefined;
let cost: QuestionCost;

beforeEach(() => {
  cpuMs = 100;
  cost = new QuestionCost(() => cpuMs);
});

function use(ms: number): void {
  if (cpuMs !== undefined) cpuMs += ms;
}

test("the watchdog's part counts twice, for what the asked thread does besides its answer", () => {
  cost.onAsked();
  use(0.4);
  cost.onAnswered(1, 0.3, 1000);
  expect(cost.take(1001)).toBe(0); // the kernel's account of a running thread is not up to date
  use(0.1);
  expect(cost.take(1005)).toBeCloseTo(1.3);
  expect(cost.take(1006)).toBe(0);
});

test('what the watchdog does while none is asked costs nothing', () => {
  use(50);
  cost.onAsked();
  use(1);
  cost.onAnswered(1, 0, 1000);
  expect(cost.take(1010)).toBeCloseTo(2);
  use(50);
  cost.onAsked();
  use(1);
  cost.onAnswered(1, 0, 2000);
  expect(cost.take(2010)).toBeCloseTo(2);
});

test('questions that wait at the same time are counted once', () => {
  for (let i = 0; i < 4; i++) cost.onAsked();
  use(2);
  for (let i = 0; i < 4; i++) cost.onAnswered(1, 0.5, 1000);
  expect(cost.take(1010)).toBeCloseTo(6);
});

test('where another question always waits, each is paid for once it has been answered', () => {
  let sum = 0;
  cost.onAsked();
  for (let at = 0; at < 10_000; at += 10) {
    cost.onAsked();
    use(0.5);
    cost.onAnswered(1, 0.25, at);
    sum += cost.take(at);
  }
  expect(sum).toBeCloseTo(1000 * 1.25);
});

test('a question that waits while a block is sampled costs as much as others do', () => {
  for (let i = 0; i < 100; i++) {
    cost.onAsked();
    use(0.2);
    cost.onAnswered(1, 0, i * 100);
    cost.take(i * 100 + 50);
  }
  cost.onAsked();
  use(80);
  cost.onAnswered(400, 0.3, 20_000);
  expect(cost.take(20_010)).toBeCloseTo(0.7, 3);
});

test('where the system does not show the CPU time of a thread, a question costs what it usually does', () => {
  cpuMs = undefined;
  cost.onAsked();
  cost.onAnswered(1, 0.3, 1000);
  expect(cost.take(1010)).toBeCloseTo(1.5);
});
