import type { Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard';

import { instanceDashboard } from './dashboards/instance.ts';
import { overviewDashboard } from './dashboards/overview.ts';
import { pipelineDashboard } from './dashboards/pipeline.ts';
import { ruleGroups } from './rules/groups.ts';

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
  return ruleGroups.flatMap(({ rules }) =>
    rules.map((rule) => ({ where: 'alert' in rule ? rule.alert : rule.record, expr: rule.expr })),
  );
}

/** All expressions in the texts of alerts, as they are before `printf` inserts values. */
export function annotationQueries(): Query[] {
  const alerts = ruleGroups.flatMap(({ rules }) => rules.filter((rule) => 'alert' in rule));
  return alerts.flatMap(({ alert, annotations }) =>
    Object.values(annotations).flatMap((text) =>
      [...text.matchAll(/\bprintf ("(?:[^"\\]|\\.)*")[^}]*\| query\b/g)].map(([, expr]) => ({
        where: alert,
        expr: JSON.parse(expr!) as string,
      })),
    ),
  );
}

export function isPanel(panel: Panel | RowPanel): panel is Panel {
  return panel.type !== 'row';
}
