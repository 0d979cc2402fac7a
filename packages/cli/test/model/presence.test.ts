import { describe, expect, test } from '@jest/globals';

import { createStore, emptyChange, noteDelay, registerInstance, seenInstancesOf } from '../../src/cli/store/store.js';
import { agoText, lastSeenText, skewText } from '../../src/model/live/presence.js';

describe('when an instance was last seen', () => {
  test('is said only after a while without data', () => {
    const seen = { instance: 'i1', lastSeenMs: 1_000 };
    expect(lastSeenText(seen, 61_000)).toBeUndefined();
    expect(lastSeenText(seen, 96_000)).toBe('last seen 95 s ago');
    expect(lastSeenText(seen, 661_000)).toBe('last seen 11 min ago');
    // A report has no such times.
    expect(lastSeenText(undefined, 661_000)).toBeUndefined();
  });

  test.each([
    [-5, '0 s ago'],
    [40_000, '40 s ago'],
    [99_400, '99 s ago'],
    [11 * 60_000, '11 min ago'],
    [150 * 60_000, '3 h ago'],
  ])('%d ms are "%s"', (ms, text) => {
    expect(agoText(ms)).toBe(text);
  });
});

describe('the clock of an instance', () => {
  /** The text about an instance whose newest data was so late in each request. */
  function textAfter(delaysMs: readonly number[]): string | undefined {
    const store = createStore();
    const nowMs = 1_795_263_286_000;
    registerInstance(store, { id: 'i1', service: 'api', label: 'a' }, nowMs, emptyChange());
    for (const delayMs of delaysMs) noteDelay(store, 'i1', nowMs - delayMs, nowMs, emptyChange());
    return skewText(seenInstancesOf(store)[0]!);
  }

  test.each([
    ['data arrives within the interval of metrics', [60_000, 60_000, 61_000], undefined],
    ['one request was a retry', [300_000, 60_000, 400], undefined],
    ['too few requests have arrived', [300_000, 300_000], undefined],
    ['all data is old', [300_000, 320_000, 300_000], 'clock 5 min behind, or its data arrives late'],
    ['data comes from the future', [-4_000], 'clock 4.00 s ahead'],
    ['data is early by less than the resolution', [-900], undefined],
    ['the clock has been set', [-4_000, 10, 20, 10, 30, 10], undefined],
  ])('when %s', (_when, delaysMs, text) => {
    expect(textAfter(delaysMs)).toBe(text);
  });
});
