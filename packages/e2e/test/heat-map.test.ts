import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dashboardQueries, metrics } from '@loopwatch/dashboards';

import { ensureBuilt } from '../../../scripts/stack/build.mjs';
import { parts } from '../../../scripts/stack/parts.mjs';
import { runCommand } from '../src/commands.ts';

// Two processes, each with three samples a minute up to 0.5 s, and one between 0.5 and 1 s.
const labels = (instance: string) => `service_name="shop",service_instance_id="${instance}",thread_name="main"`;
const classic = ['a', 'b'].flatMap((instance) =>
  [
    ['0.5', 3],
    ['1', 4],
    ['+Inf', 4],
  ].map(([le, count]) => ({
    series: `${metrics.lag}_bucket{${labels(instance)},le="${le}"}`,
    values: `0+${count}x10`,
  })),
);
// At schema 0, bucket -1 is from 0.25 to 0.5 s and bucket 0 to 1 s.
const native = ['c', 'd'].map((instance) => ({
  series: `${metrics.lag}{${labels(instance)}}`,
  values: '{{schema:0 count:0 sum:0}}+{{schema:0 count:4 sum:2 offset:-1 buckets:[3 1]}}x10',
}));
const drawnClassic = [
  { labels: '{le="0.5"}', value: 30 },
  { labels: '{le="1"}', value: 40 },
  { labels: '{le="+Inf"}', value: 40 },
];
const drawnNative = [
  { labels: '{}', histogram: '{{schema:0 count:40 sum:20 counter_reset_hint:gauge offset:-1 buckets:[30 10]}}' },
];

let promtool: string;
let directory: string;

beforeAll(async () => {
  const prometheus = parts.filter(({ name }) => name === 'prometheus');
  promtool = (await ensureBuilt(prometheus, (line) => void process.stderr.write(`${line}\n`)))['promtool']!;
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-heat-map-'));
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const heatMaps = dashboardQueries().filter(({ where, expr }) => where.endsWith(': Lag') && expr.includes('le'));

test('both dashboards have a heat map of the lag', () => {
  expect(heatMaps.map(({ where }) => where)).toEqual(['Event loop overview: Lag', 'Event loop of one instance: Lag']);
});

describe.each(heatMaps)('the heat map of $where', ({ expr }) => {
  test.each([
    ['classic histograms', classic, drawnClassic],
    ['native histograms', native, drawnNative],
    ['both, the classic ones', [...classic, ...native], drawnClassic],
  ])('shows %s', (_what, series, samples) => {
    const concrete = expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(service|instance)\b/g, '.+');
    const unitTest = {
      interval: '1m',
      input_series: series,
      promql_expr_test: [{ expr: concrete, eval_time: '10m', exp_samples: samples }],
    };
    const file = path.join(directory, 'test.yml');
    writeFileSync(file, JSON.stringify({ evaluation_interval: '1m', tests: [unitTest] }));
    expect(runCommand(promtool, ['test', 'rules', file])).toEqual({
      exitCode: 0,
      output: expect.stringContaining('SUCCESS'),
    });
  });
});
