import { instanceDashboard } from './dashboards/instance.ts';
import { overviewDashboard } from './dashboards/overview.ts';
import { applicationAlerts } from './rules/application.ts';
import { ruleFile } from './rules/file.ts';
import { grafanaLagAlertFile } from './rules/grafana-lag-alert.ts';
import { pipelineAlerts } from './rules/pipeline.ts';
import { recordingRules } from './rules/recording.ts';

const generated = (source: string): string =>
  `# Generated from dashboards/src/${source}: change it there, then run \`npm run generate\` in dashboards/.\n`;

/** Text of each generated file by its path from the root of the checkout. */
export function outputs(): ReadonlyMap<string, string> {
  return new Map([
    ['dashboards/event-loop-overview.json', json(overviewDashboard())],
    ['dashboards/event-loop-instance.json', json(instanceDashboard())],
    [
      'deploy/prometheus/rules/event-loop.yml',
      generated('rules') + ruleFile(recordingRules, applicationAlerts, pipelineAlerts),
    ],
    [
      'deploy/grafana/provisioning/alerting/event-loop-lag.yml',
      generated('rules/grafana-lag-alert.ts') + grafanaLagAlertFile(),
    ],
  ]);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
