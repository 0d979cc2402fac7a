import * as common from '@grafana/grafana-foundation-sdk/common';
import { AnnotationQueryBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import type { PanelBuilder as StatPanel } from '@grafana/grafana-foundation-sdk/stat';
import type { PanelBuilder as TablePanel } from '@grafana/grafana-foundation-sdk/table';
import type { PanelBuilder as LinePanel } from '@grafana/grafana-foundation-sdk/timeseries';

import { dashboardPath, explorePath } from '../links.ts';
import { labels, metrics, records } from '../names.ts';
import { byFunction, histogramTotal, selector, waitingForCpuShare } from '../promql.ts';
import { instantQuery, link, prometheus, rangeQuery, rateRange, serviceMatcher } from './builders.ts';
import { linePanel, organizeColumns, statPanel, tablePanel } from './panels.ts';

/* Who blocks, since which version, and in which line: the first row of the overview. */

const range = '$__range';
const culprit = [labels.service, labels.version, labels.function];

/**
 * The values of culprits with the line in which each blocked most. Lines are those of the spans that the collector counted;
 * a culprit whose blocks had no span in the time range has none.
 */
function withPlace(values: string): string {
  const place = [labels.service, labels.function, labels.file, labels.line].join(', ');
  const ofFunction = `${labels.service}, ${labels.function}`;
  const spans = `histogram_sum(${metrics.blockSpanDuration}${selector(serviceMatcher, `${labels.file}!=""`)})`;
  const lines = `group by (${place}) (topk by (${ofFunction}) (1, sum by (${place}) (${spans})))`;
  const placed = `(${values}) * on (${ofFunction}) group_left (${labels.file}, ${labels.line}) ${lines}`;
  // Below the root of the sources: the rest of the path is the one in the repository.
  return `label_replace(${placed} or (${values}) unless on (${ofFunction}) ${lines}, "path", "$1", "${labels.file}", "$sourceRoot/?(.+)")`;
}

function total(part: 'sum' | 'count', by: readonly string[]): string {
  const of = (metric: string, ...matchers: string[]): string =>
    histogramTotal(part, 'increase', metric, by, [serviceMatcher, ...matchers], range);
  return `(${byFunction([labels.service], of)})`;
}

/** Share, function, place, service and version: the sentence as far as labels have it. */
export const worstCulprit = (): StatPanel => {
  const seconds = total('sum', culprit);
  const share = `(${seconds}) / scalar(sum(${seconds}))`;
  return statPanel(
    {
      title: 'Took most of the blocked time',
      description: 'The function with the most blocked time in the time range, its line, service and version.',
      span: 24,
    },
    'percentunit',
    1e9,
  )
    .textMode(common.BigValueTextMode.ValueAndName)
    .graphMode(common.BigValueGraphMode.None)
    .withTarget(
      rangeQuery(
        withPlace(`topk(1, ${share} > 0)`),
        `{{${labels.function}}} ({{${labels.file}}}:{{${labels.line}}}), {{${labels.service}}} {{${labels.version}}}`,
      ).instant(),
    )
    .noValue('Nothing has blocked in this time range');
};

export const culprits = (): TablePanel => {
  const by = [...culprit, labels.cause];
  const search = explorePath('${traces}', '${__data.fields.Service}', '${__data.fields.Function}');
  return tablePanel(
    {
      title: 'Top culprits',
      description:
        'Functions by their blocked time in the chosen time range, and the part of it in which the thread waited for a ' +
        'CPU. A click on a function opens its traces, with the requests; one on a path the line in the repository.',
      span: 24,
    },
    10,
  )
    .targets([
      instantQuery(withPlace(`topk(20, ${total('sum', by)})`)).refId('seconds'),
      instantQuery(withPlace(`topk(20, ${total('count', by)})`)).refId('blocks'),
      instantQuery(
        withPlace(`${waitingForCpuShare('increase', by, [serviceMatcher], range)} and topk(20, ${total('sum', by)})`),
      ).refId('stretch'),
    ])
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation(
      organizeColumns(
        {
          [labels.function]: 'Function',
          path: 'Path',
          [labels.file]: 'File',
          [labels.line]: 'Line',
          [labels.service]: 'Service',
          [labels.version]: 'Version',
          [labels.cause]: 'Cause',
          'Value #seconds': 'Blocked',
          'Value #blocks': 'Blocks',
          'Value #stretch': 'Waited for a CPU',
        },
        ['Time'],
      ),
    )
    .withTransformation({ id: 'sortBy', options: { sort: [{ field: 'Blocked', desc: true }] } })
    .overrideByName('Blocked', [{ id: 'unit', value: 's' }])
    .overrideByName('Blocks', [{ id: 'decimals', value: 0 }])
    .overrideByName('Waited for a CPU', [
      { id: 'unit', value: 'percentunit' },
      { id: 'decimals', value: 0 },
    ])
    .overrideByName('Function', [{ id: 'links', value: [link('Traces of ${__value.text}', search).build()] }])
    .overrideByName('Path', [
      {
        id: 'links',
        value: [link('${__value.text} in the repository', '${source}/${__value.text}#L${__data.fields.Line}').build()],
      },
    ])
    .overrideByName('Service', [
      {
        id: 'links',
        value: [
          link('Instances of ${__value.text}', dashboardPath('instance', { service: '${__value.text}' })).build(),
        ],
      },
    ])
    .noValue('Nothing has blocked in this time range');
};

export const blockedShareOfVersions = (): LinePanel =>
  linePanel(
    {
      title: 'Blocked time by version',
      description: 'Share of the time in blocks, of all threads of all instances of a version together.',
      span: 16,
    },
    'percentunit',
    [
      rangeQuery(
        histogramTotal(
          'sum',
          'rate',
          metrics.blockedDuration,
          [labels.service, labels.version],
          [serviceMatcher],
          rateRange,
        ),
        `{{${labels.service}}} {{${labels.version}}}`,
      ),
    ],
  ).noValue('Nothing has blocked in this time range');

/** A mark where a version was first seen. */
export const deployments = (): AnnotationQueryBuilder =>
  new AnnotationQueryBuilder()
    .name('Deployments')
    .datasource(prometheus)
    .enable(true)
    .iconColor('purple')
    .expr(`1000 * ${records.versionFirstSeen}${selector(serviceMatcher)}`)
    .useValueForTime(true)
    .titleFormat(`{{${labels.service}}} {{${labels.version}}}`)
    .step('60s');
