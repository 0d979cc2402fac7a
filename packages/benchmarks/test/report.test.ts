import { describe, expect, test } from '@jest/globals';

import { loadWarning } from '../src/machine.ts';
import { changesSince } from '../src/report/changes.ts';
import { replaceBetweenMarkers } from '../src/report/document.ts';
import { ratioText } from '../src/report/format.ts';
import { ownRuns } from '../src/report/preamble.ts';
import {
  pairedSection,
  questionsSection,
  saturatedSection,
  spansSection,
  threadsSection,
} from '../src/report/loopwatch-sections.ts';
import { summarizePaired } from '../src/parts/paired/summarize-paired.ts';
import { summarizeQuestions } from '../src/parts/measure-questions.ts';
import { summarizeSaturated } from '../src/parts/measure-saturated.ts';
import { markdownTable } from '../src/report/markdown-table.ts';
import { withParts } from '../src/result.ts';
import type { BenchResult } from '../src/result.ts';
import type { Ratio } from '../src/statistics/estimate.ts';

const START = '<!-- results: written by `npm run bench -- --write` -->';
const END = '<!-- end of results -->';

describe('replaceBetweenMarkers', () => {
  test('replaces the text between the markers and nothing else', () => {
    const once = replaceBetweenMarkers(`before\n${START}\n${END}\nafter\n`, 'one');
    expect(once).toBe(`before\n${START}\n\none\n\n${END}\nafter\n`);
    expect(replaceBetweenMarkers(once, 'two')).toBe(once.replace('one', 'two'));
  });

  test('throws when a marker is missing', () => {
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

test.each([
  [{ value: 1.02, low: 0.98, high: 1.06 }, '1.02 [0.98, 1.06]'],
  [{ value: 1.17, low: 0.82, high: 1.67 }, 'not shown [0.82, 1.67]'],
  [{ value: 0.9, low: 0.78, high: 1.01 }, 'not shown [0.78, 1.01]'],
  [{ value: 110, low: 87, high: 139 }, '110 [87, 139]'],
  [{ value: 0.65, low: 0.5, high: 0.9 }, '0.65 [0.50, 0.90]'],
  [{ value: 1.17 }, '1.17'],
])('a difference is shown where its interval leaves out 1 or is at most 5 %% to each side: %j', (ratio, text) => {
  expect(ratioText(ratio)).toBe(text);
});

/** A result of one part, with the conditions of its run. */
function resultOf(measured: Partial<BenchResult>): BenchResult {
  return {
    date: '2026-01-01',
    machine: { cpu: 'A', cores: 2, memoryGib: 8, os: 'Linux', node: 'v24.0.0' },
    sdkVersion: '3.0.0',
    versions: {},
    loadAverage: { before: 0, after: 1 },
    settings: { rounds: 1, passes: 1, connections: 1, seed: 1 },
    ...measured,
  };
}

test('a saturated process: each window is compared with that of the same pass', () => {
  const windowsOf = (mainPercent: number, othersPercent: number) =>
    [0, 1, 2, 3, 4, 5].map((noise) => ({ mainPercent: mainPercent + noise, othersPercent, rssBytes: 2 ** 20 }));
  const processes = {
    none: { windows: windowsOf(1, 0.5), idlePercent: 0 },
    'loopwatch-no-busy-time': { windows: windowsOf(1.25, 0.75), idlePercent: 0.25 },
    loopwatch: { windows: windowsOf(1.5, 1), idlePercent: 0.5 },
  };
  const saturated = summarizeSaturated(processes);
  expect(saturated.peers['loopwatch']).toMatchObject({
    main: { value: 0.5, low: 0.5, high: 0.5 },
    others: { value: 0.5 },
    total: { value: 1 },
    idlePercent: 0.5,
    rssBytes: 2 ** 20,
  });
  const [section] = saturatedSection(resultOf({ saturated }));
  expect(section?.table).toContain('+1.00 [1.00, 1.00]');
});

test('questions: what a window with them took longer than one without, for each of them and at the default rate', () => {
  const unasked = { lengthMs: 1000, answers: 0, answersMs: 0, reportsMs: 2, watchdogMs: 3 };
  const pairs = [4, 5, 6, 7, 8, 9].map((answers) => ({
    // The window is half as long again, and so is what has nothing to do with questions.
    asked: {
      lengthMs: 1500,
      answers,
      answersMs: answers * 0.2,
      reportsMs: 3 + answers * 0.05,
      watchdogMs: 4.5 + answers * 0.15,
    },
    unasked,
  }));
  const memory = [1, 2, 3, 4, 5, 6].map((mebibytes) => ({
    asked: { heapBytes: (mebibytes + 0.5) * 2 ** 20, rssBytes: (mebibytes - 1) * 2 ** 20 },
    unasked: { heapBytes: mebibytes * 2 ** 20, rssBytes: mebibytes * 2 ** 20 },
  }));
  const inBudget = { lengthMs: 2000, answers: 4, answersMs: 1.5, reportsMs: 4.5, watchdogMs: 8 };
  const steady = [1, 2, 3, 4, 5, 6].map(() => inBudget);
  const [section] = questionsSection(resultOf({ questions: summarizeQuestions(pairs, steady, memory) }));
  expect(section?.table).toMatch(/after two minutes, 2\.0 times a second *\| *\+0\.20 \[0\.20, 0\.20\] % of a core/);
  const [before] = questionsSection(resultOf({ questions: summarizeQuestions(pairs, [], memory) }));
  expect(before?.table).not.toContain('after two minutes');
  for (const cost of ['+200', '+50', '+150', '+0.20 [0.20, 0.20] %', '+0.5 [0.5, 0.5] MiB', '-1.0 [-1.0, -1.0] MiB'])
    expect(section?.table).toContain(cost);
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
    return resultOf({ load: { promises: { loopwatch: summary } } });
  }

  test('reports a ratio whose interval lies above the earlier one', () => {
    const before = resultWith({ value: 1.01, low: 1, high: 1.02 });
    expect(changesSince(before, resultWith({ value: 1.05, low: 1.03, high: 1.07 }))).toEqual([
      '**Loopwatch**, Promise-heavy HTTP: CPU relative to none 1.01 → 1.05',
    ]);
    expect(changesSince(before, resultWith({ value: 1.03, low: 1.01, high: 1.05 }))).toEqual([]);
  });
});

test('changesSince reports a higher ratio of on to off', () => {
  const resultWith = (serving: Ratio) => ({ paired: { graphql: { serving } } }) as unknown as BenchResult;
  const before = resultWith({ value: 1.01, low: 1.005, high: 1.015 });
  expect(changesSince(before, resultWith({ value: 1.02, low: 1.016, high: 1.024 }))).toEqual([
    'on and off, GraphQL: CPU on / off 1.010 → 1.020',
  ]);
  expect(changesSince(before, resultWith({ value: 1.018, low: 1.014, high: 1.022 }))).toEqual([]);
});

test('warns when other programs used the machine', () => {
  expect(loadWarning(0.2, 2.1, 2)).toBeUndefined();
  expect(loadWarning(1.8, 2.1, 2)).toContain('1.8 before');
  expect(loadWarning(0.2, 5, 2)).toContain('5.0 after');
});

describe('tables of the parts that measure Loopwatch alone', () => {
  const cpu = { servingMicroseconds: 100, totalMicroseconds: 120 };
  const same = { first: cpu, second: cpu };
  const result = {
    paired: {
      promises: summarizePaired([[{ isControl: true, firstOn: same, secondOn: same }, ...sixTrials()]], 10),
    },
    threads: [{ workers: 1, idle: phase(0.5, 1.25, 1), busy: phase(undefined, 50, 51) }],
    spans: [{ kind: 'child span', nanoseconds: 1000.4, added: { value: -3, low: -9.6, high: 2 } }],
  } as unknown as BenchResult;

  function sixTrials() {
    const higher = { servingMicroseconds: 102, totalMicroseconds: 126 };
    const trial = {
      isControl: false,
      firstOn: { first: higher, second: cpu },
      secondOn: { first: cpu, second: higher },
    };
    return Array<typeof trial>(6).fill(trial);
  }

  function phase(watchdogPercent: number | undefined, watchedPercent: number, unwatchedPercent: number) {
    return { watchedPercent, unwatchedPercent, ...(watchdogPercent !== undefined && { watchdogPercent }) };
  }

  test('show ratios to the thousandth, with the control trials beside them', () => {
    expect(
      pairedSection(result)[0]!
        .table.split('\n')[2]!
        .split(/ *\| */),
    ).toEqual([
      '',
      'Promise-heavy HTTP',
      '10.0',
      '1.020 [1.020, 1.020]',
      '1.000',
      '1.020',
      '1.050 [1.050, 1.050]',
      '6',
      '',
    ]);
  });

  test('show a dash where the system does not report the CPU of threads', () => {
    expect(threadsSection(result)[0]!.table).toMatch(/1 worker thread +\| +0\.50 +\| +0\.25 +\| +– +\| +-1\.00 +\|/);
  });

  test('show the added cost with its sign', () => {
    expect(spansSection(result)[0]!.table).toContain('-3 [-10, 2]');
  });

  test('are left out when their part was not measured', () => {
    const without = {} as BenchResult;
    expect([pairedSection(without), threadsSection(without), spansSection(without)]).toEqual([[], [], []]);
  });
});

describe('a part that is measured again', () => {
  const machine = { cpu: 'A', cores: 2, memoryGib: 8, os: 'Linux', node: 'v24.0.0' };
  const settings = { rounds: 1, passes: 1, connections: 1, seed: 1 };
  const common = { machine, settings, sdkVersion: '3.0.0', versions: {}, loadAverage: { before: 0, after: 1 } };
  const whole: BenchResult = {
    ...common,
    date: '2026-01-01',
    probes: [{ path: '/livez', cpuMicroseconds: 1 }],
    idlePercent: { loopwatch: 1 },
  };
  const later: BenchResult = {
    ...common,
    date: '2026-02-02',
    probes: [{ path: '/livez', cpuMicroseconds: 2 }],
    idlePercent: { loopwatch: 2 },
  };

  test('replaces its own results, with its date, and leaves the others and theirs', () => {
    const merged = withParts(whole, later, ['probes']);
    expect(merged).toMatchObject({ date: whole.date, probes: later.probes, idlePercent: whole.idlePercent });
    expect(ownRuns(merged, ['probes'])).toEqual([
      'Measured on its own (probes): 2026-02-02, Node.js v24.0.0, A, 2 cores, 8 GiB, Linux, OpenTelemetry SDK 3.0.0; ' +
        'load average 0.0 before and 1.0 after.',
    ]);
    expect(ownRuns(merged, ['load', 'idle'])).toEqual([]);
  });

  test('keeps the date of each part that was measured apart before', () => {
    const merged = withParts(withParts(whole, later, ['idle']), { ...later, date: '2026-03-03' }, ['probes']);
    expect(merged.partRuns).toMatchObject({ idle: { date: '2026-02-02' }, probes: { date: '2026-03-03' } });
    expect(merged.idlePercent).toEqual(later.idlePercent);
  });
});
