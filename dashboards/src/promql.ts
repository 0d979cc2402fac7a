import { labels, metrics } from './names.ts';

/**
 * Histograms come in two forms: classic, as the SDK's explicit buckets arrive, and native, where the application chose
 * exponential ones. Every query on a histogram of an application answers for both.
 */
const perThread = [labels.service, labels.instance, labels.threadName];

/** `{a="1",b="2"}` from matchers, or nothing. */
export function selector(...matchers: readonly string[]): string {
  return matchers.length === 0 ? '' : `{${matchers.join(',')}}`;
}

/** Series that every instrumented process has from its first export on, in either form. */
export function lagPresence(...matchers: readonly string[]): string {
  return selector(`__name__=~"${metrics.lag}|${metrics.lag}_count"`, ...matchers);
}

/** Instances that reported at least once in a range that ended some time ago. */
export function reportingInstances(range: string, offset = ''): string {
  const back = offset === '' ? '' : ` offset ${offset}`;
  return `group by (${labels.service}, ${labels.instance}) (present_over_time(${lagPresence()}[${range}]${back}))`;
}

/** A running count of the lag samples above a bucket boundary; per series, and monotonic like a counter. */
export function lagSamplesAbove(seconds: number): string {
  const classic = `${metrics.lag}_count - ignoring(le) ${metrics.lag}_bucket${selector(`le=~"${boundary(seconds)}"`)}`;
  // 1 is a boundary of every exponential histogram, so that the fraction is exact but for rounding.
  const native = `round(histogram_count(${metrics.lag}) * (1 - histogram_fraction(-Inf, ${seconds}, ${metrics.lag})))`;
  return `${classic} or ${native}`;
}

/**
 * How much that count grew. The subquery takes the difference first: two counters of one process that start at different
 * values extrapolate differently, and their `increase()`s would differ without a single new sample.
 */
export function lagSamplesAboveIncrease(seconds: number, range: string): string {
  return `increase((${lagSamplesAbove(seconds)})[${range}:5s])`;
}

export function quantile(
  share: number,
  metric: string,
  by: readonly string[],
  matchers: readonly string[],
  range: string,
): string {
  const classicBy = [...by, 'le'].join(', ');
  const classic = `histogram_quantile(${share}, sum by (${classicBy}) (rate(${metric}_bucket${selector(...matchers)}[${range}])))`;
  const native = `histogram_quantile(${share}, sum by (${by.join(', ')}) (rate(${metric}${selector(...matchers)}[${range}])))`;
  return `${classic} or ${native}`;
}

export function lagQuantile(share: number, range: string): string {
  return quantile(share, metrics.lag, perThread, [], range);
}

/** Function of a histogram's sum (or count) over a range, summed by labels, in either form. */
export function histogramTotal(
  part: 'sum' | 'count',
  change: 'rate' | 'increase',
  metric: string,
  by: readonly string[],
  matchers: readonly string[],
  range: string,
): string {
  const classic = `${change}(${metric}_${part}${selector(...matchers)}[${range}])`;
  const native = `histogram_${part}(${change}(${metric}${selector(...matchers)}[${range}]))`;
  return `sum by (${by.join(', ')}) (${classic} or ${native})`;
}

/** How busy a loop is: by thread from ours, of the main thread alone from runtime-node where ours is not. */
export function utilization(...matchers: readonly string[]): string {
  const where = selector(...matchers);
  return `(${metrics.utilization}${where} or (${metrics.mainUtilization}${where} unless on (${labels.instance}) ${metrics.utilization}))`;
}

/** Share of the time that each thread was blocked. */
export function blockedShare(range: string): string {
  return histogramTotal('sum', 'rate', metrics.blockedDuration, perThread, [], range);
}

/** Over OTLP a boundary of 1 is written `1`, by a scrape `1.0`. */
function boundary(seconds: number): string {
  return Number.isInteger(seconds) ? `${seconds}|${seconds}\\\\.0` : String(seconds);
}
