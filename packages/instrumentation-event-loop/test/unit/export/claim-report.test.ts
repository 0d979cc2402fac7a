import { expect, test } from '@jest/globals';
import { isClaimed } from '../../../src/export/claim-report.js';

test('the first that asks has the event, the second does not', () => {
  const event = {};
  const provider = {};
  expect(isClaimed(event, provider)).toBe(false);
  expect(isClaimed(event, provider)).toBe(true);
  expect(isClaimed(event, provider)).toBe(true);
});

test('another provider is told the same event', () => {
  const event = {};
  expect(isClaimed(event, {})).toBe(false);
  expect(isClaimed(event, {})).toBe(false);
});

test('the same provider is told another event', () => {
  const provider = {};
  expect(isClaimed({}, provider)).toBe(false);
  expect(isClaimed({}, provider)).toBe(false);
});

test('a claim is not to be seen in the event as data', () => {
  const event = { durationMs: 5 };
  isClaimed(event, {});
  expect(JSON.stringify(event)).toBe('{"durationMs":5}');
  expect(Object.keys(event)).toEqual(['durationMs']);
});
