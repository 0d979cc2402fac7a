import * as common from '@grafana/grafana-foundation-sdk/common';
import { AnnotationQueryBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import type { PanelBuilder as StatPanel } from '@grafana/grafana-foundation-sdk/stat';
import type { PanelBuilder as TablePanel } from '@grafana/grafana-foundation-sdk/table';
import type { PanelBuilder as LinePanel } from '@grafana/grafana-foundation-sdk/timeseries';

import { dashboardPath, explorePath } from '../links.ts';
import { labels, metrics, records } from '../names.ts';
import { histogramTotal, selector, waitingForCpuShare } from '../promql.ts';
import { instantQuery, link, prometheus, rangeQuery, rateRange, serviceMatcher } from './builders.ts';
import { linePanel, organizeColumns, statPanel, tablePanel } from './panels.ts';

/* Who blocks, since which version, and in which line: the first row of the overview. */

const range = '$__range';
const culprit = [labels.service, labels.version, labels.function];
const by = (names: readonly string[]): string => names.join(', ');

/** Blocked seconds or blocks of culprits, by the metric of the processes. */
function ofMetric(part: 'sum' | 'count', names: readonly string[]): string {
  return histogramTotal(part, 'increase', metrics.blockedDuration, names, [serviceMatcher], range);
}

/** The same by the spans, of versions whose processes name no function: those of a fleet whose gateways sum up. */
function ofSpans(part: 'sum' | 'count', names: readonly string[]): string {
  const spans = `histogram_${part}(increase(${metrics.blockSpanDuration}${selector(serviceMatcher)}[${range}]))`;
  return `(sum by (${by(names)}) (${spans}) unless on (${labels.service}, ${labels.version}) ${records.namedBlocks})`;
}

/** Adds the line in which each culprit blocked most, as the rules remember it. It is empty where no span had one. */
function withPlace(values: string): string {
  const places = `group_left (${labels.file}, ${labels.line}) (${records.culpritPlace} > bool 0)`;
  return `${values} * on (${by(culprit)}) ${places}`;
}

/** Adds the path below the root of the sources: the one in the repository. */
function withPath(values: string): string {
  return `label_replace(${values}, "path", "$1", "${labels.file}", "$root/?(.+)")`;
}

/** Blocked seconds, function, place, service and version: the sentence as far as labels have it. */
export const worstCulprit = (): StatPanel => {
  const panel = statPanel(
    {
      title: 'Most blocked time',
      description: 'The function with the most blocked time in the time range, its line, service and version.',
      span: 24,
    },
    's',
    1e9,
  )
    .textMode(common.BigValueTextMode.ValueAndName)
    .graphMode(common.BigValueGraphMode.None)
    .noValue('Nothing has blocked in this time range');
  const legend = `{{${labels.function}}} ({{${labels.file}}}:{{${labels.line}}}), {{${labels.service}}} {{${labels.version}}}`;
  return [ofMetric, ofSpans].reduce(
    (of, seconds) => of.withTarget(rangeQuery(withPlace(`topk(1, ${seconds('sum', culprit)} > 0)`), legend).instant()),
    panel,
  );
};

/** A cell without a value; the text of the panel is for a table without rows. */
export const unknown = { id: 'noValue', value: '–' };
const width = (pixels: number) => ({ id: 'custom.width', value: pixels });

/** End of the name of a query on spans. */
const ofTheSpans = 'OfSpans';

const sourcesOf = (query: string): string[] => [query, query + ofTheSpans].map((name) => `Value #${name}`);

/** Makes a column of the two of a query and its twin on spans: a culprit has a value in one of them. */
const either = (query: string, alias: string) => ({
  id: 'calculateField',
  options: { mode: 'reduceRow', reduce: { reducer: 'sum', include: sourcesOf(query) }, alias, replaceFields: false },
});

export const culprits = (): TablePanel => {
  const names = [...culprit, labels.cause];
  const largest = (values: string): string => `topk(20, ${values})`;
  const search = explorePath('${traces}', '${__data.fields.Service}', '${__data.fields.Function}');
  return (
    tablePanel(
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
        instantQuery(withPath(withPlace(largest(ofMetric('sum', names))))).refId('seconds'),
        instantQuery(withPath(withPlace(largest(ofSpans('sum', names))))).refId(`seconds${ofTheSpans}`),
        instantQuery(largest(ofMetric('count', names))).refId('blocks'),
        instantQuery(largest(ofSpans('count', names))).refId(`blocks${ofTheSpans}`),
        instantQuery(waitingForCpuShare('increase', names, [serviceMatcher], range)).refId('stretch'),
      ])
      // One row for each culprit, then one column for both sources of a value.
      .withTransformation({ id: 'merge', options: {} })
      .withTransformation(either('seconds', 'Blocked'))
      .withTransformation(either('blocks', 'Blocks'))
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
            Blocked: 'Blocked',
            Blocks: 'Blocks',
            'Value #stretch': 'Waited for a CPU',
          },
          ['Time', ...['seconds', 'blocks'].flatMap(sourcesOf)],
        ),
      )
      // Culprits that are not among the largest by blocked time.
      .withTransformation({
        id: 'filterByValue',
        options: {
          type: 'exclude',
          match: 'any',
          filters: [
            { fieldName: 'Blocked', config: { id: 'isNull', options: {} } },
            { fieldName: 'Blocked', config: { id: 'lowerOrEqual', options: { value: 0 } } },
          ],
        },
      })
      .withTransformation({ id: 'sortBy', options: { sort: [{ field: 'Blocked', desc: true }] } })
      .overrideByName('Blocked', [{ id: 'unit', value: 's' }, width(100)])
      .overrideByName('Blocks', [{ id: 'decimals', value: 0 }, width(80)])
      .overrideByName('Waited for a CPU', [
        { id: 'unit', value: 'percentunit' },
        { id: 'decimals', value: 0 },
        unknown,
        width(150),
      ])
      .overrideByName('File', [unknown])
      .overrideByName('Line', [unknown, width(70)])
      .overrideByName('Version', [unknown, width(90)])
      .overrideByName('Cause', [width(110)])
      .overrideByName('Function', [
        unknown,
        width(170),
        { id: 'links', value: [link('Traces of ${__value.text}', search).build()] },
      ])
      .overrideByName('Path', [
        unknown,
        {
          id: 'links',
          value: [
            link('${__value.text} in the repository', '${source}/${__value.text}#L${__data.fields.Line}').build(),
          ],
        },
      ])
      .overrideByName('Service', [
        width(140),
        {
          id: 'links',
          value: [
            link('Instances of ${__value.text}', dashboardPath('instance', { service: '${__value.text}' })).build(),
          ],
        },
      ])
      .noValue('Nothing has blocked in this time range')
  );
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
