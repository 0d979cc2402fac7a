import { labels, metrics } from './names.ts';

/**
 * A histogram of an application has one of two forms in Prometheus: explicit buckets of the SDK arrive as a classic
 * histogram, exponential buckets as a native one. Each query on such a histogram works with both.
 */
const perThread = [labels.service, labels.instance, labels.threadName];

/** `{a="1",b="2"}` from matchers; the empty text without matchers. */
export function selector(...matchers: readonly string[]): string {
  return matchers.length === 0 ? '' : `{${matchers.join(',')}}`;
}

/** Selects series that each instrumented process has from its first export on, in both forms of a histogram. */
export function lagPresence(...matchers: readonly string[]): string {
  return selector(`__name__=~"${metrics.lag}(_count)?"`, ...matchers);
}

/** Instances that reported at least once in the range; `offset` moves the end of the range into the past. */
export function reportingInstances(range: string, offset = ''): string {
  const back = offset === '' ? '' : ` offset ${offset}`;
  return `group by (${labels.service}, ${labels.instance}) (present_over_time(${lagPresence()}[${range}]${back}))`;
}

/** Number of samples above a bucket boundary so far, for each series; monotonic like a counter. */
function samplesAbove(metric: string, seconds: number): string {
  const classic = `${metric}_count - ignoring(le) ${metric}_bucket${selector(`le=~"${boundary(seconds)}"`)}`;
  // 1 is a bucket boundary in each schema of exponential buckets, so the fraction is exact except for rounding.
  const native = `round(histogram_count(${metric}) * (1 - histogram_fraction(-Inf, ${seconds}, ${metric})))`;
  return `${classic} or ${native}`;
}

/**
 * Increase of that number. The subquery takes the difference before `increase()`: the increases of two counters that
 * start at different values are extrapolated differently, so their difference would not be 0 without a new sample.
 */
export function samplesAboveIncrease(metric: string, seconds: number, range: string): string {
  return `increase((${samplesAbove(metric, seconds)})[${range}:5s])`;
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

/**
 * Samples by bucket, for a heat map. Where series of both forms exist, as during a change, it shows the classic ones: a
 * panel draws one form, and two forms have no common buckets.
 */
export function heatMap(metric: string, matchers: readonly string[], range: string): string {
  const selected = `${selector(...matchers)}[${range}]`;
  return `sum by (le) (increase(${metric}_bucket${selected})) or on () sum(increase(${metric}${selected}))`;
}

export function lagQuantile(share: number, range: string): string {
  return quantile(share, metrics.lag, perThread, [], range);
}

/** Rate or increase of a histogram's sum or count over a range, summed by labels, in both forms. */
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

/**
 * How much a histogram's sum or count, or a counter, grew within a range: exact, because `increase()` extrapolates, so that
 * two blocks of a young series can count as four. A series that is younger than the range, or was reset, began at 0.
 */
export function exactIncrease(
  part: 'sum' | 'count' | 'native_sum' | 'native_count' | 'counter',
  metric: string,
  range: string,
  selected = '',
): string {
  const at = (offset: string): string => {
    const name = metric + selected + offset;
    if (part === 'counter') return name;
    if (part === 'native_sum' || part === 'native_count') return `${part.replace('native', 'histogram')}(${name})`;
    return `(${metric}_${part}${selected}${offset} or histogram_${part}(${name}))`;
  };
  return `${at('')} - ${at(` offset ${range}`)} >= 0 or ${at('')}`;
}

/** Utilisation of each thread from our metric, or of the main thread from runtime-node where our metric is missing. */
export function utilization(...matchers: readonly string[]): string {
  const where = selector(...matchers);
  // With the name of its thread, by which an alert silences others.
  const ofMain = `label_replace(${metrics.mainUtilization}${where}, "${labels.threadName}", "main", "", "")`;
  return `(${metrics.utilization}${where} or (${ofMain} unless on (${labels.instance}) ${metrics.utilization}))`;
}

/** The `service.name` of the chart's agents: they report also while the gateway, or the only collector, is away. */
export const agentService = 'loopwatch-agent';

/** By how much a counter of the collectors grew; also where a collector creates it at its first increment. */
export function grownInFiveMinutes(label: string, counter: string): string {
  return `sum by (${label}) (${exactIncrease('counter', counter, '5m')})`;
}

/** Number of agents that reported at least once in the range; no value without agents. */
export function agents(range: string): string {
  return `count(group by (${labels.instance}) (present_over_time(${metrics.collectorUptime}${selector(`${labels.service}="${agentService}"`)}[${range}])))`;
}

/**
 * Spans and points that went into the queue of an exporter, and neither came out nor were counted as failed: the collector
 * counts no entry that it cannot read back. Only while the queue is empty. Entries that a collector finds on disk when it
 * starts are sent without having been offered, so the number can be negative.
 */
export function lostInQueue(): string {
  const sum = (series: string): string => `sum by (${labels.instance}, exporter) (${series})`;
  const outcomes = `{__name__=~"otelcol_exporter_(sent|send_failed|enqueue_failed)_(spans|metric_points)_total"}`;
  const offered = sum(metrics.offered);
  return `(${offered} - (${sum(outcomes)} or 0 * ${offered})) and ${sum(metrics.queueSize)} == 0`;
}

/** Active series of the instrumentation, of the span metrics and of our recording rules. */
export const ownSeries = `count({__name__=~"([a-z_]+:)?(event_loop|libuv)_.+|traces_span_metrics_.+"})`;

/** Share of the time that each thread spent in blocks. */
export function blockedShare(range: string): string {
  return histogramTotal('sum', 'rate', metrics.blockedDuration, perThread, [], range);
}

/**
 * Share of the blocked time in which the thread was ready to run and waited for a CPU; no value for a thread without
 * blocks in the range, and on systems that do not report it.
 */
export function waitingForCpuShare(
  change: 'rate' | 'increase',
  by: readonly string[],
  matchers: readonly string[],
  range: string,
): string {
  const waited = `sum by (${by.join(', ')}) (${change}(${metrics.blockedRunQueueTime}${selector(...matchers)}[${range}]))`;
  return `${waited} / (${histogramTotal('sum', change, metrics.blockedDuration, by, matchers, range)} > 0)`;
}

/** Prometheus writes the boundary 1 as `1` when it arrives by OTLP, and as `1.0` when it is scraped. */
function boundary(seconds: number): string {
  return Number.isInteger(seconds) ? `${seconds}|${seconds}\\\\.0` : String(seconds);
}
