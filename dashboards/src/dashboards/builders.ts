import type * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';

import { dashboards } from '../links.ts';
import { labels } from '../names.ts';
import { lagPresence } from '../promql.ts';

/** The data source that the reader chose. */
export const prometheus: common.DataSourceRef = { type: 'prometheus', uid: '${metrics}' };
export const jaeger: common.DataSourceRef = { type: 'jaeger', uid: '${traces}' };

/** Grafana's own range for `rate()`: wide enough for the export interval that the data source states. */
export const rateRange = '$__rate_interval';

export function rangeQuery(expr: string, legend: string): DataqueryBuilder {
  return new DataqueryBuilder().datasource(prometheus).expr(expr).legendFormat(legend).range();
}

export function instantQuery(expr: string): DataqueryBuilder {
  return new DataqueryBuilder().datasource(prometheus).expr(expr).instant().format(PromQueryFormat.Table);
}

export function bucketsQuery(expr: string): DataqueryBuilder {
  return new DataqueryBuilder()
    .datasource(prometheus)
    .expr(expr)
    .range()
    .format(PromQueryFormat.Heatmap)
    .legendFormat('{{le}}');
}

/** What both dashboards share: data source choosers, time range, links to each other. */
export function newDashboard(key: keyof typeof dashboards, description: string): dashboard.DashboardBuilder {
  const { uid, title } = dashboards[key];
  return new dashboard.DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['loopwatch', 'nodejs', 'event-loop'])
    .time({ from: 'now-30m', to: 'now' })
    .timezone('browser')
    .refresh('30s')
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .link(
      new dashboard.DashboardLinkBuilder('Loopwatch')
        .type(dashboard.DashboardLinkType.Dashboards)
        .tags(['loopwatch'])
        .keepTime(true)
        .includeVars(true),
    )
    .withVariable(new dashboard.DatasourceVariableBuilder('metrics').label('Metrics').type('prometheus'))
    .withVariable(new dashboard.DatasourceVariableBuilder('traces').label('Traces').type('jaeger'));
}

/** A variable with the values of a label of the instrumented processes. */
export function labelVariable(
  name: string,
  label: string,
  value: string,
  ...matchers: string[]
): dashboard.QueryVariableBuilder {
  return new dashboard.QueryVariableBuilder(name)
    .label(label)
    .datasource(prometheus)
    .query({ query: `label_values(${lagPresence(...matchers)}, ${value})`, refId: name })
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(dashboard.VariableSort.AlphabeticalAsc);
}

export const serviceMatcher = `${labels.service}=~"$service"`;
export const instanceMatcher = `${labels.instance}=~"$instance"`;

/** Green, yellow and red from the given values on. */
export function colorSteps(yellow: number, red: number): dashboard.ThresholdsConfigBuilder {
  return new dashboard.ThresholdsConfigBuilder().mode(dashboard.ThresholdsMode.Absolute).steps([
    { value: null, color: 'green' },
    { value: yellow, color: 'yellow' },
    { value: red, color: 'red' },
  ]);
}

export function link(title: string, url: string): dashboard.DashboardLinkBuilder {
  return new dashboard.DashboardLinkBuilder(title).url(url).targetBlank(true);
}
