import { RowBuilder, TextBoxVariableBuilder, type Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { labels, metrics, records } from '../names.ts';
import { heatMap, histogramTotal, lagPresence, quantile, selector, utilization as utilizationOf } from '../promql.ts';
import { firingAlerts } from '../rules/application.ts';
import { thresholds } from '../thresholds.ts';
import {
  bucketsQuery,
  instantQuery,
  labelVariable,
  newDashboard,
  serviceMatcher,
  rangeQuery,
  rateRange,
} from './builders.ts';
import { busyFunctionsOfServices, busyRequestsOfServices, busyShareOfServices } from './busy.ts';
import { blockedShareOfVersions, culprits, deployments, unknown, worstCulprit } from './culprits.ts';
import { heatmapPanel, linePanel, organizeColumns, statPanel, tablePanel } from './panels.ts';

/** Dashboard of all services: their lag, its course over time, and the functions that cause it. */
export function overviewDashboard(): Dashboard {
  return newDashboard(
    'overview',
    'Event loops of all services: lag, utilisation, blocked time and the functions that block.',
  )
    .withVariable(
      labelVariable('service', labels.service, labels.service).label('Service').multi(true).includeAll(true),
    )
    .withVariable(
      new TextBoxVariableBuilder('source')
        .label('Source')
        .description(
          'Address of the sources at the commit that runs, such as https://github.com/shop/shop/blob/1.3.0.',
        ),
    )
    .withVariable(
      new TextBoxVariableBuilder('root')
        .label('Source root')
        .description('Directory of the sources where they run, such as /app.')
        .defaultValue('/app'),
    )
    .annotation(deployments())
    .withRow(new RowBuilder('Who blocks'))
    .withPanel(worstCulprit())
    .withPanel(culprits())
    .withRow(new RowBuilder('Now'))
    .withPanel(instances())
    .withPanel(worstLag())
    .withPanel(blockedShare())
    .withPanel(blocks())
    .withPanel(alertsFiring())
    .withRow(new RowBuilder('Lag'))
    .withPanel(lagDistribution())
    .withPanel(lagQuantiles())
    .withPanel(blockLengths())
    .withPanel(utilization())
    .withPanel(blockedShareOfServices())
    .withRow(new RowBuilder("Where the loops' time goes"))
    .withPanel(busyRequestsOfServices())
    .withPanel(busyFunctionsOfServices())
    .withPanel(busyShareOfServices())
    .withRow(new RowBuilder('Versions and alerts'))
    .withPanel(blockedShareOfVersions())
    .withPanel(alerts())
    .build();
}

const instances = () =>
  statPanel(
    { title: 'Instances', description: 'Processes that report metrics of their event loop.', span: 4 },
    'none',
    1e9,
  ).withTarget(rangeQuery(`count(group by (${labels.instance}) (${lagPresence(serviceMatcher)}))`, 'instances'));

const worstLag = () =>
  statPanel(
    {
      title: 'Worst p99 lag',
      description: 'One event in a hundred waits at least this long, over five minutes, in the slowest thread.',
      span: 5,
    },
    's',
    thresholds.lagP99Seconds,
  ).withTarget(rangeQuery(`max(${records.lagP99}${selector(serviceMatcher)})`, 'p99 lag'));

const blockedShare = () =>
  statPanel(
    {
      title: 'Worst blocked share',
      description: 'Share of the last five minutes that the most blocked thread spent in blocks.',
      span: 5,
    },
    'percentunit',
    thresholds.blockedShareShortWindow,
  ).withTarget(rangeQuery(`max(${records.blockedShare}${selector(serviceMatcher)})`, 'blocked'));

const blocks = () =>
  statPanel(
    {
      title: 'Blocks a minute',
      description: 'All blocks of the chosen services, including those without a span.',
      span: 5,
    },
    'short',
    60,
  ).withTarget(
    rangeQuery(
      `60 * sum(${histogramTotal('count', 'rate', metrics.blockedDuration, [labels.service], [serviceMatcher], rateRange)})`,
      'blocks a minute',
    ),
  );

const alertsFiring = () =>
  statPanel(
    { title: 'Alerts firing', description: 'Alerts on event loops and on the pipeline itself.', span: 5 },
    'none',
    1,
  ).withTarget(rangeQuery(`count(${firingAlerts}) or vector(0)`, 'alerts'));

const lagDistribution = () =>
  heatmapPanel(
    {
      title: 'Lag',
      description:
        'Wait time of an event that arrives at any moment. Samples are evenly spaced, so a block of 3 s counts for 3 s.',
      span: 12,
    },
    heatMap(metrics.lag, [serviceMatcher], rateRange),
  );

const lagQuantiles = () => {
  const lag = (share: number) => quantile(share, metrics.lag, [labels.service], [serviceMatcher], rateRange);
  return linePanel(
    {
      title: 'Lag: p50, p99 and the slowest',
      description:
        'The slowest is the upper bound of the highest bucket with a sample. The dots are blocks by duration; a click opens the trace.',
      span: 12,
    },
    's',
    [
      rangeQuery(lag(0.5), `p50 {{${labels.service}}}`),
      rangeQuery(lag(0.99), `p99 {{${labels.service}}}`),
      rangeQuery(lag(1), `slowest {{${labels.service}}}`),
      rangeQuery(
        `histogram_quantile(1, sum by (${labels.service}) (rate(${metrics.blockSpanDuration}${selector(serviceMatcher)}[${rateRange}])))`,
        `longest block {{${labels.service}}}`,
      ).exemplar(true),
    ],
  ).height(9);
};

const blockLengths = () =>
  heatmapPanel(
    {
      title: 'Blocks by length',
      description: 'All blocks with a span. The marks are exemplars; a click opens the trace of the block.',
      span: 24,
    },
    `sum(increase(${metrics.blockSpanDuration}${selector(serviceMatcher)}[${rateRange}]))`,
  ).targets([
    bucketsQuery(`sum(increase(${metrics.blockSpanDuration}${selector(serviceMatcher)}[${rateRange}]))`).exemplar(true),
  ]);

const utilization = () =>
  linePanel(
    {
      title: 'Utilisation of the busiest thread',
      description: 'Share of the time in which the loop was busy. Near 100 %, all requests wait.',
      span: 12,
    },
    'percentunit',
    [rangeQuery(`max by (${labels.service}) ${utilizationOf(serviceMatcher)}`, `{{${labels.service}}}`)],
  ).max(1);

const blockedShareOfServices = () =>
  linePanel(
    {
      title: 'Blocked share of the most blocked thread',
      description: 'Share of the time in blocks, which are loop iterations longer than the threshold.',
      span: 12,
    },
    'percentunit',
    [
      rangeQuery(
        `max by (${labels.service}) (${records.blockedShare}${selector(serviceMatcher)})`,
        `{{${labels.service}}}`,
      ),
    ],
  );

const alerts = () =>
  tablePanel({ title: 'Firing alerts', description: 'Alerts on event loops and on the pipeline itself.', span: 8 }, 10)
    .withTarget(instantQuery(firingAlerts))
    .withTransformation(
      organizeColumns(
        { alertname: 'Alert', [labels.service]: 'Service', [labels.threadName]: 'Thread', severity: 'Severity' },
        ['Time', 'Value', '__name__', 'alertstate', 'job', 'instance'],
      ),
    )
    .overrideByName('Thread', [unknown])
    .overrideByName('Service', [unknown])
    .noValue('No alert is firing');
