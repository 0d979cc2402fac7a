import type * as cog from '@grafana/grafana-foundation-sdk/cog';
import { RowBuilder, type Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { labels, metrics, spans } from '../names.ts';
import { heatMap, histogramTotal, quantile, selector, utilization, waitingForCpuShare } from '../promql.ts';
import {
  jaeger,
  labelVariable,
  newDashboard,
  instanceMatcher,
  serviceMatcher,
  rangeQuery,
  rateRange,
} from './builders.ts';
import { busyFunctions, busyRequests } from './busy.ts';
import { heatmapPanel, linePanel, stackedPanel, tablePanel } from './panels.ts';

/** Dashboard of one process: its threads, its blocks and their causes, its memory. */
export function instanceDashboard(): Dashboard {
  return newDashboard(
    'instance',
    "One process: lag, threads, blocks by cause and function, recent blocks, libuv's thread pool, garbage collection, heap.",
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
    .withRow(new RowBuilder("Where the loop's time goes"))
    .withPanel(busyRequests())
    .withPanel(busyFunctions())
    .withRow(new RowBuilder('Blocks'))
    .withPanel(causes())
    .withPanel(culprits())
    .withPanel(waitingForCpu())
    .withPanel(recentBlocks())
    .withRow(new RowBuilder("libuv's thread pool"))
    .withPanel(poolWaits())
    .withPanel(poolBusy())
    .withRow(new RowBuilder('Memory'))
    .withPanel(garbageCollection())
    .withPanel(heap())
    .build();
}

const lagDistribution = () =>
  heatmapPanel(
    {
      title: 'Lag',
      description: 'Wait time of an event that arrives at any moment, in all threads of this process.',
      span: 12,
    },
    heatMap(metrics.lag, [instanceMatcher], rateRange),
  );

const lagOfThreads = () => {
  const lag = (share: number) => quantile(share, metrics.lag, [labels.threadName], [instanceMatcher], rateRange);
  return linePanel(
    {
      title: 'Lag by thread',
      description: 'Half of all events wait no longer than p50, and 99 % no longer than p99.',
      span: 12,
    },
    's',
    [rangeQuery(lag(0.5), `p50 {{${labels.threadName}}}`), rangeQuery(lag(0.99), `p99 {{${labels.threadName}}}`)],
  ).height(9);
};

const utilizationOfThreads = () =>
  linePanel(
    {
      title: 'Utilisation by thread',
      description: 'Share of the time in which the loop of the thread was busy.',
      span: 12,
    },
    'percentunit',
    [rangeQuery(`max by (${labels.threadName}) ${utilization(instanceMatcher)}`, `{{${labels.threadName}}}`)],
  ).max(1);

const liveThreads = () =>
  stackedPanel(
    {
      title: 'Live threads',
      description: 'Number of threads by name. A number that keeps rising is a leak.',
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
      description: 'Idle time of the longest idle thread of each name. It rises without limit for a stale thread.',
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
      description:
        'How long a thread has been blocked so far, from 1 s on, reported by the watchdog. Empty when no thread hangs.',
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

const poolWaits = () => {
  const wait = (share: number) =>
    quantile(share, metrics.poolQueueWait, [labels.poolLane], [instanceMatcher], rateRange);
  return linePanel(
    {
      title: 'Wait for the pool',
      description:
        'How long a task waits for a thread, whenever it arrives: fs, dns.lookup, crypto and zlib share the threads. ' +
        'slow_io: lookups, which may take half of them.',
      span: 12,
    },
    's',
    [rangeQuery(wait(0.5), `p50 {{${labels.poolLane}}}`), rangeQuery(wait(0.99), `p99 {{${labels.poolLane}}}`)],
  );
};

const poolBusy = () =>
  linePanel(
    {
      title: 'Busy threads of the pool',
      description: 'Share of the threads that work. At 1, the next task waits.',
      span: 12,
    },
    'percentunit',
    [rangeQuery(`max by (${labels.instance}) (${metrics.poolBusy}${selector(instanceMatcher)})`, 'busy')],
  ).max(1);

const causes = () =>
  stackedPanel(
    {
      title: 'Blocked time by cause',
      description:
        'Share of the time in blocks, by what the code did: JavaScript, native code, garbage collection, waiting, unknown. ' +
        'Starved of CPU: without the wait for a CPU, it would not have been a block.',
      span: 8,
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
      description: 'Share of the time in blocks, by the function that blocked the loop.',
      span: 8,
    },
    'percentunit',
    [
      rangeQuery(
        histogramTotal('sum', 'rate', metrics.blockedDuration, [labels.function], [instanceMatcher], rateRange),
        `{{${labels.function}}}`,
      ),
    ],
  ).noValue('Nothing has blocked in this time range');

const waitingForCpu = () =>
  linePanel(
    {
      title: 'Blocked time without a CPU',
      description:
        'Share of the blocked time in which the thread was ready to run and waited for a CPU, whatever the cause. ' +
        'At 50 %, the host or a CPU quota has doubled the length of the blocks.',
      span: 8,
    },
    'percentunit',
    [
      rangeQuery(
        waitingForCpuShare('rate', [labels.threadName], [instanceMatcher], rateRange),
        `{{${labels.threadName}}}`,
      ),
    ],
  )
    .max(1)
    .noValue('Nothing has blocked in this time range, or the system does not report it');

/** Query of Grafana's Jaeger data source, for which the Foundation SDK has no type. */
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
    { title: 'Recent blocks', description: 'The newest traces of this process that contain a block.', span: 24 },
    9,
  )
    .datasource(jaeger)
    .targets([{ build: () => search }])
    .noValue('No block in this time range, or no single service is chosen above');
};

const garbageCollection = () =>
  stackedPanel(
    { title: 'Garbage collection', description: 'Share of the time in garbage collection, by kind.', span: 12 },
    'percentunit',
    [
      rangeQuery(
        histogramTotal('sum', 'rate', metrics.gcDuration, [labels.gcType], [instanceMatcher], rateRange),
        `{{${labels.gcType}}}`,
      ),
    ],
  );

const heap = () =>
  linePanel(
    { title: 'Heap', description: 'Heap memory in use, and heap memory that V8 has reserved.', span: 12 },
    'bytes',
    [
      rangeQuery(`sum(${metrics.heapUsed}${selector(instanceMatcher)})`, 'used'),
      rangeQuery(`sum(${metrics.heapSize}${selector(instanceMatcher)})`, 'reserved'),
    ],
  );
