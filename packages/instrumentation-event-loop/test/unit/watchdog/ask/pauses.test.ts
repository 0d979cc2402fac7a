import { expect, test } from '@jest/globals';

import { sharedNow } from '../../../../src/contract/clock.ts';
import { Header, SlotInt, SlotTime } from '../../../../src/contract/registry-layout.ts';
import { Registry } from '../../../../src/contract/registry.ts';
import type { Answer } from '../../../../src/watchdog/ask/answer.ts';
import { askByPause, pauseInterval, pausesFrom } from '../../../../src/watchdog/ask/pauses.ts';

function answersOf(registry: Registry, threadId: number): Answer[] {
  const answers: Answer[] = [];
  const observer = { onSent: () => answers.push('sent'), onAnswer: (answer: Answer) => answers.push(answer) };
  askByPause(registry, threadId, { expression: '1', observer });
  return answers;
}

test('stops no thread of a process to which a debugger may connect', () => {
  const registry = new Registry();
  Atomics.store(registry.ints, Header.isInspected, 1);
  expect(answersOf(registry, 0)).toEqual([undefined]);
});

test('stops no worker thread while the main thread is blocked, which has to pass on the order to go on', () => {
  const registry = new Registry();
  const main = registry.claim(0, 'main')!;
  main.setTime(SlotTime.suspectAfterMs, 50);
  main.setTime(SlotTime.tickAt, sharedNow() - 1000);
  main.setInt(SlotInt.state, 2);
  expect(answersOf(registry, 7)).toEqual([undefined]);
});

test('stops a thread in long blocks only, and less often the longer they are', () => {
  expect(pausesFrom()).toBe(300);
  expect([500, 2000, 20_000].map((ageMs) => pauseInterval(0, ageMs))).toEqual([75, 200, 2000]);
});
