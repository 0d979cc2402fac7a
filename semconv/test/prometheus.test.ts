import { expect, test } from '@jest/globals';

import { prometheusLabel, prometheusMetric } from '../src/prometheus.ts';

test.each([
  [{ name: 'event_loop.lag', unit: 's', instrument: 'histogram' }, 'event_loop_lag_seconds'],
  [{ name: 'cpu.wait', unit: 's', instrument: 'counter' }, 'cpu_wait_seconds_total'],
  [{ name: 'event_loop.threads', unit: '{thread}', instrument: 'updowncounter' }, 'event_loop_threads'],
  [{ name: 'loop.utilization', unit: '1', instrument: 'gauge' }, 'loop_utilization_ratio'],
  [{ name: 'span.calls', unit: '1', instrument: 'counter' }, 'span_calls_total'],
  [{ name: 'heap.used', unit: 'By', instrument: 'updowncounter' }, 'heap_used_bytes'],
] as const)('%j is %s in Prometheus', (metric, name) => {
  expect(prometheusMetric(metric)).toBe(name);
});

test('an attribute has underscores for dots', () => {
  expect(prometheusLabel('code.function.name')).toBe('code_function_name');
});
