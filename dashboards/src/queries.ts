import type { Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard';

import { instanceDashboard } from './dashboards/instance.ts';
import { overviewDashboard } from './dashboards/overview.ts';
import { pipelineDashboard } from './dashboards/pipeline.ts';
import { applicationAlerts } from './rules/application.ts';
import { pipelineAlerts, seriesRules } from './rules/pipeline.ts';
import { recordingRules } from './rules/recording.ts';
import { culpritRules, versionRules } from './rules/versions.ts';

/** A PromQL expression and the panel or rule that contains it. */
export interface Query {
  readonly where: string;
  readonly expr: string;
}

/** All expressions of the dashboards; they contain Grafana's variables. */
export function dashboardQueries(): Query[] {
  return [overviewDashboard(), instanceDashboard(), pipelineDashboard()].flatMap(({ title, panels = [] }) =>
    panels.filter(isPanel).flatMap((panel) =>
      (panel.targets ?? []).flatMap((target) => {
        const expr: unknown = 'expr' in target ? target.expr : undefined;
        return typeof expr === 'string' ? [{ where: `${title ?? ''}: ${panel.title ?? ''}`, expr }] : [];
      }),
    ),
  );
}

/** All expressions of the recording and alerting rules. */
export function ruleQueries(): Query[] {
  return [recordingRules, culpritRules, versionRules, applicationAlerts, seriesRules, pipelineAlerts].flatMap(
    ({ rules }) => rules.map((rule) => ({ where: 'alert' in rule ? rule.alert : rule.record, expr: rule.expr })),
  );
}

export function isPanel(panel: Panel | RowPanel): panel is Panel {
  return panel.type !== 'row';
}
