import { expect, test } from '@jest/globals';
import { claimReport } from '../../../src/export/claim-report.js';

test('the first call claims the report, the second does not', () => {
  const event = {};
  const provider = {};
  expect(claimReport(event, provider)).toBe(true);
  expect(claimReport(event, provider)).toBe(false);
  expect(claimReport(event, provider)).toBe(false);
});

test('the same event is reported to another provider', () => {
  const event = {};
  expect(claimReport(event, {})).toBe(true);
  expect(claimReport(event, {})).toBe(true);
});

test('another event is reported to the same provider', () => {
  const provider = {};
  expect(claimReport({}, provider)).toBe(true);
  expect(claimReport({}, provider)).toBe(true);
});

test('a claim adds no enumerable property to the event', () => {
  const event = { durationMs: 5 };
  claimReport(event, {});
  expect(JSON.stringify(event)).toBe('{"durationMs":5}');
  expect(Object.keys(event)).toEqual(['durationMs']);
});
