import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { labels, metrics } from '@loopwatch/dashboards';
import {
  METRIC_EVENT_LOOP_STALLED,
  METRIC_EVENT_LOOP_UTILIZATION,
  SPAN_EVENT_LOOP_HANG,
} from '@loopwatch/instrumentation-event-loop/semconv';

import { rootDirectory } from '../../../scripts/lib/paths.mjs';
import { eventually } from '../src/eventually.ts';
import { drawNotifications } from '../src/notifications/picture.ts';
import { Webhook, type Notification } from '../src/notifications/webhook.ts';
import { SyntheticService } from '../src/services/synthetic-service.ts';
import { TestStack } from '../src/test-stack.ts';

let directory: string;
let webhook: Webhook;
let stack: TestStack;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-notifications-'));
  webhook = await Webhook.start();
  stack = await TestStack.start({
    LOOPWATCH_ALERTMANAGER_CONFIG: webhook.writeConfiguration(directory),
    LOOPWATCH_PROMETHEUS_RULES: rules(),
  });
}, 900_000);

afterAll(async () => {
  await stack.stop();
  webhook.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** The rules, with alerts that wait for less than ten minutes, and longer than the rules that they read. */
function rules(): string {
  const text = readFileSync(path.join(rootDirectory, 'deploy/prometheus/rules/event-loop.yml'), 'utf8');
  const shortened = text.replaceAll('for: 10m', 'for: 45s');
  const file = path.join(directory, 'rules.yml');
  writeFileSync(file, shortened);
  return file;
}

/**
 * Waits until Prometheus has sent an alert of a service, which Alertmanager keeps back. It may be one evaluation later than
 * the same alert of another service: their metrics arrive one after the other.
 */
async function expectKeptBack(alert: string, service: string): Promise<void> {
  await eventually(
    `Alertmanager keeps back ${alert} of ${service}`,
    () => stack.alertmanager.inhibited(service),
    (alerts) => alerts.includes(alert),
    { withinMs: 60_000 },
  );
  expect(webhook.received(alert, service)).toEqual([]);
}

/** `UPDATE_IMAGES=1` draws the picture in docs/notifications.md anew. */
function updatePicture(...drawn: readonly Notification[]): void {
  if (process.env['UPDATE_IMAGES'] !== '1') return;
  drawNotifications(drawn, path.join(rootDirectory, 'docs/images/notification.png'));
}

// Side by side, with services of their own: they mostly wait for the intervals of rules.
test.concurrent(
  'a block pages with its sentence, its line and its links, and says when it is over; a hang silences the lag alert',
  async () => {
    const lagging = new SyntheticService(stack.otlpUrl, 'checkout', 'classic', '1.3.0');
    const hanging = new SyntheticService(stack.otlpUrl, 'search', 'classic', '1.3.0');
    for (const service of [lagging, hanging]) {
      service.recordLags(0.001);
      await service.exportMetrics();
    }
    const known = 'count by (service_name) (event_loop_lag_seconds_count{service_name=~"checkout|search"})';
    await eventually(
      'Prometheus has both services: the first increment of a new series is not seen',
      () => stack.prometheus.query(known),
      (services) => services.length === 2,
    );
    for (const service of [lagging, hanging])
      await service.sendBlockedRequest({ seconds: 2.5, functionName: 'findParents' });
    lagging.recordBusyTime(2.5, 'GET /report', 'findParents');
    await hanging.sendHang('isValidTag');
    await eventually(
      'Prometheus has the report of the hang',
      () => stack.prometheus.query(`${metrics.blockSpanDuration}{${labels.spanName}="${SPAN_EVENT_LOOP_HANG}"}`),
      (series) => series.length > 0,
      { withinMs: 60_000 },
    );
    let hangs = true;
    const exporting = setInterval(() => {
      void lagging.exportMetrics();
      void hanging.exportMetrics(hangs ? { [METRIC_EVENT_LOOP_STALLED]: 12 } : {});
    }, 2000);
    try {
      const hang = await webhook.next('EventLoopHang', 'search', 'firing', 90_000);
      expect(hang.title).toBe('1 firing: EventLoopHang in search');
      expect(hang.text).toContain('search hangs: its event loop has been blocked for 12s');
      expect(hang.text).toContain('It is in isValidTag (/app/report.js:42).');
      expect(hang.text).toContain('Version 1.3.0.');
      expect(hang.text).toContain('operation=event-loop-hang&');
      expect(hang.text).toContain('Runbook: https://');

      const lag = await webhook.next('EventLoopLagHigh', 'checkout', 'firing', 90_000);
      expect(lag.title).toBe('1 firing: EventLoopLagHigh in checkout');
      expect(lag.text).toMatch(
        /^Event loop of checkout lagged for more than 1 s\nIn the last minute, events of thread main in synthetic:\w+ waited/,
      );
      expect(lag.text).toMatch(
        /findParents( \(.+:\d+\))? took 100% of the blocked time of the last ten minutes: 1 block, 2\.5s\. /,
      );
      expect(lag.text).toContain('Version 1.3.0. Most of its time was in requests GET /report.');
      expect(lag.text).toMatch(
        /\nTraces, with the request and who waited: http:\/\/127\.0\.0\.1:16686\/search\?service=checkout&operation=event-loop-blocked/,
      );
      expect(lag.text).toMatch(/\nDashboard: http:\/\/127\.0\.0\.1:3000\/d\/loopwatch-instance\//);
      expect(lag.text).toMatch(/\nRunbook: https:\/\/.*event-loop-lag-high\.md\n\n$/);

      await expectKeptBack('EventLoopLagHigh', 'search');

      hangs = false;
      const over = await webhook.next('EventLoopLagHigh', 'checkout', 'resolved', 180_000);
      expect(over.title).toBe('Resolved: EventLoopLagHigh in checkout');
      expect(over.text).toBe('Over: Event loop of checkout lagged for more than 1 s\n');
      const hangOver = await webhook.next('EventLoopHang', 'search', 'resolved', 120_000);
      expect(hangOver.text).toMatch(/^Over: search hangs/);
      updatePicture(lag, hang, hangOver);
    } finally {
      clearInterval(exporting);
    }
  },
  600_000,
);

test.concurrent(
  'a saturated loop pages with what it does and silences its sustained lag, until only the lag is left',
  async () => {
    const saturated = new SyntheticService(stack.otlpUrl, 'orders', 'classic', '2.0.0');
    const lagging = new SyntheticService(stack.otlpUrl, 'reports', 'classic', '2.0.0');
    let utilization = 0.97;
    let lagSeconds = 0.4;
    const exporting = setInterval(() => {
      for (const service of [saturated, lagging]) service.recordLags(lagSeconds, lagSeconds);
      saturated.recordBusyTime(1.2, 'GET /orders', 'parseFilters');
      saturated.recordBusyTime(0.8, 'GET /status', 'render');
      void saturated.exportMetrics({ [METRIC_EVENT_LOOP_UTILIZATION]: utilization });
      void lagging.exportMetrics({ [METRIC_EVENT_LOOP_UTILIZATION]: 0.3 });
    }, 2000);
    try {
      const busy = await webhook.next('EventLoopSaturated', 'orders', 'firing', 90_000);
      expect(busy.title).toBe('1 firing: EventLoopSaturated in orders');
      expect(busy.text).toContain(
        '60% of its busy time was in requests GET /orders. 60% of its busy time was in the function parseFilters.',
      );
      expect(busy.text).toContain('operation=event-loop-saturated&');
      expect(busy.text).toMatch(/\nRunbook: https:\/\/.*event-loop-saturated\.md\n\n$/);

      // The other service has the same lag at the same time, and pages.
      const lag = await webhook.next('EventLoopLagSustained', 'reports', 'firing', 120_000);
      expect(lag.text).toMatch(/^Event loop of reports has lagged for ten minutes\n/);
      await expectKeptBack('EventLoopLagSustained', 'orders');

      utilization = 0.4;
      expect((await webhook.next('EventLoopSaturated', 'orders', 'resolved', 120_000)).text).toBe(
        'Over: Event loop of orders is saturated\n',
      );
      // The lag goes on, and nothing else says so now.
      await webhook.next('EventLoopLagSustained', 'orders', 'firing', 120_000);

      lagSeconds = 0.001;
      // So many that the long ones of the last five minutes are less than one in a hundred.
      for (const service of [saturated, lagging]) service.recordLags(...new Array<number>(60_000).fill(lagSeconds));
      await webhook.next('EventLoopLagSustained', 'orders', 'resolved', 180_000);
    } finally {
      clearInterval(exporting);
    }
  },
  600_000,
);
