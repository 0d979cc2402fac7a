import { labels, metrics, records } from '../names.ts';
import { exactIncrease, selector } from '../promql.ts';
import { by, levels, on } from './levels.ts';
import type { RecordingGroup } from './model.ts';

const isNamed = `${labels.function}!=""`;
const named = selector(isNamed);
const durations = selector(`__name__=~"${metrics.blockedDuration}(_sum)?"`, isNamed);

/** Where the processes name no function, as in a fleet whose gateways sum up their blocks, the spans do. */
const unlessMetricNames = `unless ${on(levels.version)} ${records.namedBlocks}`;
const ofSpans = (part: 'sum' | 'count'): string =>
  `sum ${by(levels.culprit)} (${exactIncrease(`native_${part}`, metrics.blockSpanDuration, '10m', named)}) ${unlessMetricNames}`;
const ofMetric = (part: 'sum' | 'count'): string =>
  `sum ${by(levels.culprit)} (${exactIncrease(part, metrics.blockedDuration, '10m')})`;
const spansOrMetric = (spans: string, metric: string): string => `${spans} or ${on(levels.version)} ${metric}`;

/** What each function of each version did in the last ten minutes. */
export const culpritRules: RecordingGroup = {
  name: 'event_loop.culprits',
  rules: [
    {
      record: records.namedBlocks,
      description: 'Versions whose processes name the functions that block. Of the others, the spans name them.',
      // Only whether there is one: the increase of all would take as long again.
      expr: `group ${by(levels.version)} (${durations})`,
    },
    {
      record: records.metricSeconds,
      description: 'Blocked seconds of the last ten minutes, by the metric of the processes.',
      expr: ofMetric('sum'),
    },
    {
      record: records.metricBlocks,
      description: 'Blocks of the last ten minutes, by the metric of the processes.',
      expr: ofMetric('count'),
    },
    {
      record: records.spanSeconds,
      description:
        'Blocked seconds of the last ten minutes, by the spans of versions whose processes name no function.',
      expr: ofSpans('sum'),
    },
    {
      record: records.spanBlocks,
      description: 'Blocks of the last ten minutes, by the spans of versions whose processes name no function.',
      expr: ofSpans('count'),
    },
    {
      record: records.culpritSeconds,
      description: 'Blocked seconds of the last ten minutes, from whichever of the two names the functions.',
      expr: spansOrMetric(records.spanSeconds, records.metricSeconds),
    },
    {
      record: records.culpritBlocks,
      description: 'Blocks of the last ten minutes, from whichever of the two names the functions.',
      expr: spansOrMetric(records.spanBlocks, records.metricBlocks),
    },
    {
      record: records.culpritOwnSeconds,
      description:
        'Blocked seconds of the last ten minutes in which the thread did not wait for a CPU: a busy host makes blocks of ' +
        'fast functions.',
      expr:
        `clamp_min(${records.culpritSeconds} - ` +
        `(sum ${by(levels.culprit)} (${exactIncrease('counter', metrics.blockedRunQueueTime, '10m')}) or 0 * ${records.culpritSeconds}), 0)`,
    },
    {
      record: records.culpritTotal,
      // Without the zero that Prometheus makes of the start of a series: it is no block.
      description: 'Blocks of all processes that are there, since they started; falls when one ends.',
      expr:
        `sum ${by(levels.culprit)} (histogram_count(${metrics.blockSpanDuration}${named}) ${unlessMetricNames} ` +
        `or ${on(levels.version)} (${metrics.blockedDuration}_count or histogram_count(${metrics.blockedDuration}))) > 0`,
    },
  ],
};
