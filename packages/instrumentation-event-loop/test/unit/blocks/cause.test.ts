import { describe, expect, test } from '@jest/globals';
import { causeOf } from '../../../src/blocks/cause.js';
import type { WeightedSample } from '../../../src/blocks/weights.js';
import type { BlockTimes, Cause } from '../../../src/contract/model.js';
import { builtinFrame, entryFrame, frame, nodeFrame, weighted } from '../support/builders.js';

const app = frame('work');
const live = [weighted([app], 100)];
const late = [weighted([app], 100, { isLate: true })];
const asleep = [weighted([builtinFrame('Atomics.wait'), app], 100)];

function times(cpuMs?: number, runQueueMs?: number, gcMs?: number): BlockTimes {
  return { cpuMs, runQueueMs, gcMs };
}

type Row = readonly [what: string, times: BlockTimes, samples: readonly WeightedSample[], cause: Cause];

const BLOCK_MS = 100;

const table: readonly Row[] = [
  // Starvation: the run queue has half.
  ['half of it in the run queue', times(50, 50, 0), live, 'cpu_starved'],
  ['just less than half of it in the run queue', times(50.1, 49.9, 0), live, 'javascript'],
  ['starved while in a native call', times(10, 90, 0), late, 'cpu_starved'],
  ['starved without samples', times(0, 100, undefined), [], 'cpu_starved'],
  ['starved rather than collecting', times(50, 50, 50), live, 'cpu_starved'],
  // Waiting: neither on a CPU nor wanting one for half of it.
  ['half of it asleep', times(50, 0, 0), live, 'waiting'],
  ['just less than half of it asleep', times(50.1, 0, 0), live, 'javascript'],
  ['asleep without samples', times(1, 0, undefined), [], 'waiting'],
  ['a third each on a CPU, in the run queue and asleep', times(34, 33, 0), live, 'javascript'],
  // The same where the system does not tell the run queue: only the stack can tell sleep from starvation.
  ['off CPU, in Atomics.wait', times(2), asleep, 'waiting'],
  ['off CPU, in application code', times(2), live, 'unknown'],
  [
    'off CPU, without samples to tell',
    times(2),
    [weighted([app], 60), ...asleep.map((s) => ({ ...s, weightMs: 40 }))],
    'unknown',
  ],
  [
    'off CPU, in a child process',
    times(2),
    [weighted([nodeFrame('spawnSync'), nodeFrame('execSync'), app], 100)],
    'waiting',
  ],
  ['on the CPU, in Atomics.wait', times(100), asleep, 'javascript'],
  // Collecting.
  ['half of it collecting', times(100, 0, 50), live, 'gc'],
  ['just less than half of it collecting', times(100, 0, 49.9), live, 'javascript'],
  ['collecting behind a late answer', times(100, 0, 80), late, 'gc'],
  ['collecting where no CPU time is told', times(undefined, undefined, 80), live, 'gc'],
  ['collecting without samples', times(100, 0, 80), [], 'gc'],
  // Native or JavaScript: by the samples.
  ['late answers', times(100, 0, 0), late, 'native'],
  ['JSON in its own frame', times(100, 0, 0), [weighted([builtinFrame('JSON.stringify'), app], 100)], 'native'],
  [
    'a regular expression in its own frame',
    times(100, 0, 0),
    [weighted([builtinFrame('RegExp.exec'), app], 100)],
    'native',
  ],
  ['application code', times(100, 0, 0), live, 'javascript'],
  ['half native', times(100, 0, 0), [weighted([app], 50), weighted([app], 50, { isLate: true })], 'native'],
  [
    'just less than half native',
    times(100, 0, 0),
    [weighted([app], 51), weighted([app], 49, { isLate: true })],
    'javascript',
  ],
  [
    "a function of the application's that is called parse",
    times(100, 0, 0),
    [weighted([frame('JSON.parse'), app], 100)],
    'javascript',
  ],
  ['nothing measured, application code', times(), live, 'javascript'],
  ['nothing measured, late answers', times(), late, 'native'],
  ['nothing measured, in Atomics.wait', times(), asleep, 'waiting'],
  [
    'nothing measured, in a child process until it answered late',
    times(),
    [weighted([nodeFrame('spawnSync'), nodeFrame('execSync'), app], 100, { isLate: true })],
    'waiting',
  ],
  // Nothing to go by.
  ['nothing measured, no samples', times(), [], 'unknown'],
  ['off CPU, no samples, and no run queue told', times(2), [], 'unknown'],
  ['on the CPU, no samples', times(100, 0, 0), [], 'unknown'],
  ['on the CPU, samples that stand for no time', times(100, 0, 0), [weighted([app], 0)], 'unknown'],
];

const cases = table.map(([what, measured, samples, cause]) => ({ what, measured, samples, cause }));
describe('the cause of a block of 100 ms', () => {
  test.each(cases)('is $cause: $what', ({ measured, samples, cause }) => {
    expect(causeOf(BLOCK_MS, measured, samples)).toBe(cause);
  });

  test('a native call is native also when the function that follows it stands on the stack', () => {
    const after = [weighted([entryFrame('next'), app], 100, { isLate: true })];
    expect(causeOf(BLOCK_MS, times(100, 0, 0), after)).toBe('native');
  });

  test("a function of the application's named execSync does not sleep", () => {
    expect(causeOf(BLOCK_MS, times(2), [weighted([frame('execSync'), app], 100)])).toBe('unknown');
  });
});
