import { describe, expect, test } from '@jest/globals';

import { loadWarning } from '../src/machine.ts';
import { changesSince } from '../src/report/changes.ts';
import { replaceBetweenMarkers } from '../src/report/document.ts';
import { markdownTable } from '../src/report/table.ts';
import type { BenchResult } from '../src/result.ts';
import type { Ratio } from '../src/paired-ratio.ts';

const START = '<!-- results: written by `npm run bench -- --write` -->';
const END = '<!-- end of results -->';

describe('replaceBetweenMarkers', () => {
  test('renews what stands between the markers and nothing else', () => {
    const once = replaceBetweenMarkers(`before\n${START}\n${END}\nafter\n`, 'one');
    expect(once).toBe(`before\n${START}\n\none\n\n${END}\nafter\n`);
    expect(replaceBetweenMarkers(once, 'two')).toBe(once.replace('one', 'two'));
  });

  test('says what is missing', () => {
    expect(() => replaceBetweenMarkers('no markers', 'one')).toThrow('Put them back');
  });
});

test('a Markdown table is aligned', () => {
  expect(
    markdownTable(
      ['', 'µs'],
      [
        ['none', '1.0'],
        ['blocked', '10.0'],
      ],
    ),
  ).toBe(['|         |   µs |', '| ------- | ---: |', '| none    |  1.0 |', '| blocked | 10.0 |'].join('\n'));
});

describe('changesSince', () => {
  function resultWith(cpuToBaseline: Ratio): BenchResult {
    const summary = {
      cpuMicrosecondsPerRequest: 100,
      cpuToBaseline,
      p99Ms: 1,
      p99ToBaseline: { value: 1 },
      rssBytes: 1,
      readyMs: 1,
    };
    return {
      date: '2026-01-01',
      machine: { cpu: 'A', cores: 2, memoryGib: 8, os: 'Linux', node: 'v24.0.0' },
      sdkVersion: '3.0.0',
      versions: {},
      loadAverage: { before: 0, after: 1 },
      settings: { rounds: 1, passes: 1, connections: 1, seed: 1 },
      load: { promises: { loopwatch: summary } },
    };
  }

  test('tells of a ratio whose interval lies above the earlier one', () => {
    const before = resultWith({ value: 1.01, low: 1, high: 1.02 });
    expect(changesSince(before, resultWith({ value: 1.05, low: 1.03, high: 1.07 }))).toEqual([
      '**Loopwatch** on Promise-heavy HTTP: CPU 1.01 → 1.05 of none',
    ]);
    expect(changesSince(before, resultWith({ value: 1.03, low: 1.01, high: 1.05 }))).toEqual([]);
  });
});

test('warns of a machine that others use', () => {
  expect(loadWarning(0.2, 2.1, 2)).toBeUndefined();
  expect(loadWarning(1.8, 2.1, 2)).toContain('1.8 before');
  expect(loadWarning(0.2, 5, 2)).toContain('5.0 after');
});
