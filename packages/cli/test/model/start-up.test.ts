import { expect, test } from '@jest/globals';

import type { Recording } from '../../src/model/recording/recording.js';
import { startUpSentence } from '../../src/model/recording/start-up.js';

function recording(counted: boolean, ...durationsMs: number[]): Recording {
  const threads = durationsMs.map((durationMs) => ({ instance: 'i1', threadId: 0, threadName: 'main', durationMs }));
  return { startUp: { counted, threads } } as unknown as Recording;
}

test('a start-up above the threshold is told', () => {
  expect(startUpSentence(recording(false, 1600), 100)).toBe(
    'Start-up took 1.60 s, not counted; --startup counts and names it.',
  );
});

test('of several threads, the longest is told', () => {
  expect(startUpSentence(recording(false, 80, 300, 120), 100)).toBe(
    'Start-up took 300 ms (the longest of 3), not counted; --startup counts and names it.',
  );
});

test('a start-up in which its process was killed lasted until then, as far as is known', () => {
  const { startUp } = recording(false, 300, 4600);
  const [first, longest] = startUp!.threads;
  const of = (threads: unknown[]): Recording => ({ startUp: { counted: false, threads } }) as unknown as Recording;
  expect(startUpSentence(of([first, { ...longest, isUnfinished: true }]), 100)).toBe(
    'Start-up had not ended after 4.60 s (the longest of 2), and is not counted; --startup counts and names it.',
  );
  expect(startUpSentence(of([{ ...first, isUnfinished: true }, longest]), 100)).toMatch(/^Start-up took 4\.60 s/);
});

test.each([
  ['below the threshold', recording(false, 80)],
  ['counted', recording(true, 1600)],
  ['not known', {} as Recording],
])('a start-up that is %s is not told', (_, of) => {
  expect(startUpSentence(of, 100)).toBeUndefined();
});
