import type { Instrument } from './format.ts';

/** Suffixes of units; a unit in braces has none. */
const suffixes: Readonly<Record<string, string>> = { s: '_seconds', ms: '_milliseconds', By: '_bytes' };

/**
 * The name that Prometheus' OTLP receiver gives to a metric (translation strategy UnderscoreEscapingWithSuffixes): dots
 * become underscores, the unit becomes a suffix, the unit `1` of a gauge becomes `_ratio`, and a counter gets `_total`.
 * A classic histogram adds `_bucket`, `_sum` and `_count`.
 */
export function prometheusMetric(metric: { name: string; unit: string; instrument: Instrument }): string {
  const { name, unit, instrument } = metric;
  const unitSuffix = unit === '1' && instrument === 'gauge' ? '_ratio' : (suffixes[unit] ?? '');
  return prometheusLabel(name) + unitSuffix + (instrument === 'counter' ? '_total' : '');
}

/** The name of an attribute as a label in Prometheus. */
export function prometheusLabel(attribute: string): string {
  return attribute.replaceAll('.', '_');
}
