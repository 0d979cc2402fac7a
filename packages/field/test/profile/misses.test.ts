import { expect, test } from '@jest/globals';

import { missesOf } from '../../src/profile/misses.ts';
import type { Miss } from '../../src/profile/misses.ts';
import type { Timeline } from '../../src/profile/timeline.ts';
import { block, dispatch, frame, samples, timeline } from './made-up.ts';

const options = { thresholdMs: 100 };
const search = frame('search');
const load = frame('load', 'node:internal/modules/cjs/loader', 1);

test('a long stretch of uninterrupted JavaScript that no block covers is missed', () => {
  const profiles = [timeline(samples(1000, [20, 'javascript', dispatch, search]))];
  expect(missesOf([], profiles, options)).toEqual([
    { pid: 1, threadId: 0, startMs: 1000, durationMs: 200, place: 'search /app/server.cjs:10' },
  ]);
  expect(missesOf([block()], profiles, options)).toEqual([]);
  expect(missesOf([block({ threadId: 1 })], profiles, options)).toHaveLength(1);
});

test('a stretch within the margin above the threshold is not missed', () => {
  expect(missesOf([], [timeline(samples(1000, [14, 'javascript', dispatch, search]))], options)).toEqual([]);
});

test('time without samples is not known to be of a stretch: the thread or the sampler waited for a CPU', () => {
  const [first, ...others] = samples(1000, [10, 'javascript', dispatch, search]);
  const starved = [...others, { ...first!, startMs: 1100, endMs: 1200 }];
  expect(missesOf([], [timeline([first!, ...starved])], options)).toEqual([]);
});

test.each(['idle', 'program'] as const)('a sample that is "%s" interrupts a stretch', (activity) => {
  const profile = samples(
    1000,
    [10, 'javascript', dispatch, search],
    [1, activity],
    [10, 'javascript', dispatch, search],
  );
  expect(missesOf([], [timeline(profile)], options)).toEqual([]);
});

test('garbage collection does not interrupt the code that it stops', () => {
  const profile = samples(
    1000,
    [10, 'javascript', dispatch, search],
    [2, 'gc', dispatch, search],
    [10, 'javascript', dispatch, search],
  );
  expect(missesOf([], [timeline(profile)], options)).toHaveLength(1);
});

test('evaluating the entry point is start-up, and loading modules is until the server is ready', () => {
  const main = frame('executeUserEntryPoint', 'node:internal/main/run_main_module', 1);
  expect(missesOf([], [timeline(samples(1000, [30, 'javascript', main, search]))], options)).toEqual([]);
  const loading = [timeline(samples(1000, [30, 'javascript', dispatch, load, search]))];
  expect(missesOf([], loading, options)).toEqual([]);
  expect(missesOf([], loading, { ...options, readyAtMs: 500 })).toHaveLength(1);
});

test('what the entry point leaves to promise jobs is start-up before the loop starts, and in the iteration that loads it', () => {
  const boot = frame('start', '/app/node_modules/fastify/lib/server.js');
  const profile = samples(
    1000,
    [30, 'javascript', dispatch, load],
    [1, 'program'],
    [20, 'javascript', dispatch, boot],
    [1, 'program'],
  );
  const of = (changes: Partial<Timeline>): Miss[] => missesOf([], [timeline(profile, changes)], options);
  expect(of({})).toHaveLength(1);
  expect(of({ loopStartMs: 1515, iterationEndsMs: [1520] })).toEqual([]);
  expect(of({ loopStartMs: 900, iterationEndsMs: [950, 1520, 1530] })).toEqual([]);
  // An event may wait: the loop has begun another iteration.
  expect(of({ loopStartMs: 900, iterationEndsMs: [950, 1305, 1520] })).toHaveLength(1);
  // The iteration computes for longer than it loads.
  const computes = samples(1000, [15, 'javascript', dispatch, load], [20, 'javascript', dispatch, boot]);
  expect(missesOf([], [timeline(computes, { loopStartMs: 900, iterationEndsMs: [1400] })], options)).toHaveLength(1);
});

test('loading the SDK that /register starts is not the work of the program, also after the server is ready', () => {
  const sdk = frame('<anonymous>', 'file:///app/node_modules/@opentelemetry/sdk-node/dist/utils.cjs', 1);
  const late = { ...options, readyAtMs: 500 };
  expect(missesOf([], [timeline(samples(1000, [30, 'javascript', dispatch, load, sdk]))], late)).toEqual([]);
  expect(missesOf([], [timeline(samples(1000, [30, 'javascript', dispatch, sdk]))], late)).toHaveLength(1);
});
