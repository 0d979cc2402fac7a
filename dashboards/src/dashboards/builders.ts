import type * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';

import { dashboards } from '../links.ts';
import { labels } from '../names.ts';
import { lagPresence } from '../promql.ts';

/** Data sources that the viewer chooses with the dashboard variables. */
export const prometheus: common.DataSourceRef = { type: 'prometheus', uid: '${metrics}' };
export const jaeger: common.DataSourceRef = { type: 'jaeger', uid: '${traces}' };

/** Grafana's range for `rate()`: at least four times the export interval in the settings of the data source. */
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

/** A dashboard with the data source variables, the time range and the links that both dashboards share. */
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

/** A variable whose values are those of a label of the instrumented processes. */
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

/** Colours of a value: green below `yellow`, yellow below `red`, then red. */
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
