import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from '@jest/globals';

import { boundaries, costRows } from '../src/cardinality.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

test('docs/cardinality.md has the table that the model makes', () => {
  const rows = [...read('docs/cardinality.md').matchAll(/^\| +([\d,]+ \|.+) \|$/gm)].map(([, cells = '']) =>
    cells.split('|').map((cell) => cell.trim()),
  );
  expect(rows).toEqual(costRows());
});

test('the model has the boundaries of the instrumentation and of the collector', () => {
  const [, lag = ''] = /BOUNDARIES_S = \[([^\]]+)\]/.exec(
    read('packages/instrumentation-event-loop/src/export/metrics.ts'),
  )!;
  const [, requests = ''] = /buckets: \[([^\]]+)\]/.exec(read('otel-collector-config.yaml'))!;
  expect({ lag: lag.split(',').length, requests: requests.split(',').length }).toEqual(boundaries);
});

test('the chart knows the boundaries of the lag', () => {
  const [, lag = ''] = /BOUNDARIES_S = \[([^\]]+)\]/.exec(
    read('packages/instrumentation-event-loop/src/export/metrics.ts'),
  )!;
  const [, inChart = ''] = /without \(list ([^)]+)\)/.exec(
    read('deploy/kubernetes/loopwatch/templates/_gateway-config.tpl'),
  )!;
  expect(inChart.split(' ').map(Number)).toEqual(lag.split(',').map(Number));
});
