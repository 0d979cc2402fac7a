import { stringify } from 'yaml';

import { instanceDashboard } from './dashboards/instance.ts';
import { overviewDashboard } from './dashboards/overview.ts';
import { pipelineDashboard } from './dashboards/pipeline.ts';
import { alertmanagerFile, receivers } from './notifications/alertmanager.ts';
import { grafanaTemplates, templateText } from './notifications/template.ts';
import { applicationAlerts } from './rules/application.ts';
import { ruleFile } from './rules/file.ts';
import { grafanaLagAlertFile } from './rules/grafana-lag-alert.ts';
import { ruleGroups } from './rules/groups.ts';
import { ruleList } from './rules/list.ts';
import { culpritRules } from './rules/culprits.ts';
import { newCulpritRules, versionRules } from './rules/versions.ts';

const generated = (source: string): string =>
  `# Generated from dashboards/src/${source}: change it there, then run \`npm run generate\`.\n`;

/** Text of each generated file by its path from the root of the checkout. */
export function outputs(): ReadonlyMap<string, string> {
  return new Map([
    ['dashboards/event-loop-overview.json', json(overviewDashboard())],
    ['dashboards/event-loop-instance.json', json(instanceDashboard())],
    ['dashboards/telemetry-pipeline.json', json(pipelineDashboard())],
    ['deploy/prometheus/rules/event-loop.yml', generated('rules') + ruleFile(...ruleGroups)],
    ['deploy/prometheus/rules/README.md', ruleList(ruleGroups)],
    [
      'deploy/grafana/provisioning/alerting/event-loop-lag.yml',
      generated('rules/grafana-lag-alert.ts') + grafanaLagAlertFile(),
    ],
    [
      'deploy/grafana/provisioning/alerting/notification-templates.yml',
      generated('notifications/template.ts') + stringify(grafanaTemplates, { lineWidth: 0 }),
    ],
    ['deploy/alertmanager/loopwatch.tmpl', templateText],
    ['deploy/alertmanager/alertmanager.yml', generated('notifications/alertmanager.ts') + alertmanagerFile()],
    ...Object.entries(receivers).map(([name, receiver]): [string, string] => [
      `deploy/alertmanager/examples/${name}.yml`,
      generated('notifications/alertmanager.ts') + alertmanagerFile(receiver),
    ]),
  ]);
}

/** Only the rules of `EventLoopNewCulprit`: a simulation that evaluated all would take several times as long. */
export function newCulpritRuleFile(): string {
  const rules = applicationAlerts.rules.filter((rule) => 'alert' in rule && rule.alert === 'EventLoopNewCulprit');
  return ruleFile(culpritRules, versionRules, newCulpritRules, { ...applicationAlerts, rules });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
