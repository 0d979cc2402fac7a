import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

import { grafanaLagAlertFile } from '../src/rules/grafana-lag-alert.ts';
import { runbookFile } from '../src/links.ts';
import { applicationAlerts } from '../src/rules/application.ts';
import type { AlertingRule } from '../src/rules/model.ts';
import { pipelineAlerts } from '../src/rules/pipeline.ts';

const runbooks = path.resolve(import.meta.dirname, '../../docs/runbooks');
const alerts = [applicationAlerts, pipelineAlerts]
  .flatMap(({ rules }) => rules)
  .filter((rule): rule is AlertingRule => 'alert' in rule);

describe('alerts', () => {
  test.each(alerts)(
    '$alert has a runbook with its name and the sections on meaning, checks and actions',
    ({ alert, annotations }) => {
      expect(annotations.runbook_url.endsWith(`/${runbookFile(alert)}`)).toBe(true);
      const text = readFileSync(path.join(runbooks, runbookFile(alert)), 'utf8');
      expect(text).toMatch(new RegExp(`^# ${alert}\n`));
      expect(text).toMatch(/^## What it means$/m);
      expect(text).toMatch(/^## What to look at$/m);
      expect(text).toMatch(/^## What to do$/m);
    },
  );

  test('every runbook belongs to an alert', () => {
    expect(readdirSync(runbooks).sort()).toEqual(
      [...alerts.map(({ alert }) => runbookFile(alert)), 'README.md'].sort(),
    );
  });

  test.each(applicationAlerts.rules.filter((rule) => 'alert' in rule))(
    '$alert links to the dashboard and to traces',
    (rule) => {
      expect(rule.annotations.dashboard_url).toContain('/d/loopwatch-');
      expect(rule.annotations.traces_url).toMatch(
        /operation=(event-loop-blocked|event-loop-hang|event-loop-saturated|thread-pool-starved)&/,
      );
    },
  );
});

describe('the lag alert for Grafana', () => {
  interface GrafanaFile {
    groups: { rules: { labels: Record<string, string>; annotations: Record<string, string> }[] }[];
  }
  const rule = (parse(grafanaLagAlertFile()) as GrafanaFile).groups[0]!.rules[0]!;

  test('doubles the dollar sign in labels, where Grafana inserts environment variables', () => {
    expect(rule.labels).toEqual({ severity: 'warning', service: '{{ $$labels.service_name }}' });
  });

  test('keeps a single dollar sign in annotations, where Grafana inserts no environment variables', () => {
    expect(rule.annotations.summary).toBe('Event loop of {{ $labels.service_name }} lagged for more than 1 s');
  });
});
