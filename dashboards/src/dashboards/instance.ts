import type * as cog from '@grafana/grafana-foundation-sdk/cog';
import { RowBuilder, type Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { labels, metrics, spans } from '../names.ts';
import { histogramTotal, quantile, selector, utilization } from '../promql.ts';
import {
  jaeger,
  labelVariable,
  newDashboard,
  instanceMatcher,
  serviceMatcher,
  rangeQuery,
  rateRange,
} from './builders.ts';
import { heatmapPanel, linePanel, stackedPanel, tablePanel } from './panels.ts';

/** One process: its threads, what blocked them and why, its memory. */
export function instanceDashboard(): Dashboard {
  return newDashboard(
    'instance',
    'One process: lag, threads, what blocked and why, garbage collection, heap, recent blocks.',
  )
    .withVariable(labelVariable('service', labels.service, labels.service).label('Service').includeAll(true))
    .withVariable(labelVariable('instance', labels.instance, labels.instance, serviceMatcher).label('Instance'))
    .withRow(new RowBuilder('Lag and threads'))
    .withPanel(lagDistribution())
    .withPanel(lagOfThreads())
    .withPanel(utilizationOfThreads())
    .withPanel(liveThreads())
    .withPanel(idleAge())
    .withPanel(stalled())
    .withRow(new RowBuilder('What blocked'))
    .withPanel(causes())
    .withPanel(culprits())
    .withPanel(recentBlocks())
    .withRow(new RowBuilder('Memory'))
    .withPanel(garbageCollection())
    .withPanel(heap())
    .build();
}

const lagDistribution = () =>
  heatmapPanel(
    {
      title: 'Lag',
      description: 'What an event waits that arrives at any moment, in all threads of this process.',
      span: 12,
    },
    `sum by (le) (increase(${metrics.lag}_bucket${selector(instanceMatcher)}[${rateRange}]))`,
  );

const lagOfThreads = () => {
  const lag = (share: number) => quantile(share, metrics.lag, [labels.threadName], [instanceMatcher], rateRange);
  return linePanel(
    { title: 'Lag by thread', description: 'Half of all moments, and all but the slowest hundredth.', span: 12 },
    's',
    [rangeQuery(lag(0.5), `p50 {{${labels.threadName}}}`), rangeQuery(lag(0.99), `p99 {{${labels.threadName}}}`)],
  ).height(9);
};

const utilizationOfThreads = () =>
  linePanel(
    { title: 'Utilisation by thread', description: 'Share of the time that a loop was not idle.', span: 12 },
    'percentunit',
    [rangeQuery(`max by (${labels.threadName}) ${utilization(instanceMatcher)}`, `{{${labels.threadName}}}`)],
  ).max(1);

const liveThreads = () =>
  stackedPanel(
    {
      title: 'Live threads',
      description: 'Threads by name. One that climbs with every rebalance or deployment is a leak.',
      span: 12,
    },
    'none',
    [
      rangeQuery(
        `sum by (${labels.threadName}) (${metrics.threads}${selector(instanceMatcher)})`,
        `{{${labels.threadName}}}`,
      ),
    ],
  );

const idleAge = () =>
  linePanel(
    {
      title: 'Longest idle thread',
      description:
        'How long the thread of that name that was idle for the longest has been so: stale threads climb without end.',
      span: 12,
    },
    's',
    [
      rangeQuery(
        `max by (${labels.threadName}) (${metrics.threadIdleAge}${selector(instanceMatcher)})`,
        `{{${labels.threadName}}}`,
      ),
    ],
  );

const stalled = () =>
  linePanel(
    {
      title: 'Hang in progress',
      description: 'How long a thread has been blocked so far, from the watchdog. Empty is good.',
      span: 12,
    },
    's',
    [
      rangeQuery(
        `max by (${labels.threadName}) (${metrics.stalled}${selector(instanceMatcher)})`,
        `{{${labels.threadName}}}`,
      ),
    ],
  ).noValue('No hang');

const causes = () =>
  stackedPanel(
    {
      title: 'Blocked time by cause',
      description: 'Share of the time blocked, by why: JavaScript, native code, GC, waiting, no CPU.',
      span: 12,
    },
    'percentunit',
    [
      rangeQuery(
        histogramTotal('sum', 'rate', metrics.blockedDuration, [labels.cause], [instanceMatcher], rateRange),
        `{{${labels.cause}}}`,
      ),
    ],
  ).noValue('Nothing has blocked in this time range');

const culprits = () =>
  stackedPanel(
    {
      title: 'Blocked time by function',
      description: 'Share of the time blocked, by the function that blocked.',
      span: 12,
    },
    'percentunit',
    [
      rangeQuery(
        histogramTotal('sum', 'rate', metrics.blockedDuration, [labels.function], [instanceMatcher], rateRange),
        `{{${labels.function}}}`,
      ),
    ],
  ).noValue('Nothing has blocked in this time range');

/** Query of Grafana's Jaeger data source; the Foundation SDK has no type for it. */
interface JaegerSearch extends cog.Dataquery {
  readonly refId: string;
  readonly datasource: typeof jaeger;
  readonly queryType: 'search';
  readonly service: string;
  readonly operation: string;
  readonly tags: string;
  readonly limit: number;
}

const recentBlocks = () => {
  const search: JaegerSearch = {
    refId: 'A',
    datasource: jaeger,
    queryType: 'search',
    service: '$service',
    operation: spans.blocked,
    tags: 'service.instance.id="$instance"',
    limit: 20,
    _implementsDataqueryVariant: () => undefined,
  };
  return tablePanel(
    { title: 'Recent blocks', description: 'The newest traces of this process with a block in them.', span: 24 },
    9,
  )
    .datasource(jaeger)
    .targets([{ build: () => search }])
    .noValue('Choose one service above, or nothing has blocked in this time range');
};

const garbageCollection = () =>
  stackedPanel(
    { title: 'Garbage collection', description: 'Share of the time spent in it, by kind.', span: 12 },
    'percentunit',
    [
      rangeQuery(
        histogramTotal('sum', 'rate', metrics.gcDuration, [labels.gcType], [instanceMatcher], rateRange),
        `{{${labels.gcType}}}`,
      ),
    ],
  );

const heap = () =>
  linePanel({ title: 'Heap', description: 'What is in use, and what V8 has reserved for it.', span: 12 }, 'bytes', [
    rangeQuery(`sum(${metrics.heapUsed}${selector(instanceMatcher)})`, 'used'),
    rangeQuery(`sum(${metrics.heapSize}${selector(instanceMatcher)})`, 'reserved'),
  ]);
