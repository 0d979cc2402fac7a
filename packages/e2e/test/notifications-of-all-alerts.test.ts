import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runbookFile, thresholds } from '@loopwatch/dashboards';

import { rootDirectory } from '../../../scripts/lib/paths.mjs';
import { causesInApplications } from '../src/notifications/application-causes.ts';
import type { Cause } from '../src/notifications/cause.ts';
import { alertNames, fastRules } from '../src/notifications/fast-rules.ts';
import { causesInPipeline, SERIES_BUDGET } from '../src/notifications/pipeline-causes.ts';
import { Webhook } from '../src/notifications/webhook.ts';
import { TestStack } from '../src/test-stack.ts';

/** Time runs so many times as fast: ten minutes of a rule take half a minute. */
const FACTOR = 20;
const OF_COLLECTOR = 'TelemetryCollectorVanished';
const rulesDirectory = path.join(rootDirectory, 'deploy/prometheus/rules');
const rules = readdirSync(rulesDirectory)
  .filter((name) => name.endsWith('.yml'))
  .map((name) => readFileSync(path.join(rulesDirectory, name), 'utf8'));

let directory: string;
let webhook: Webhook;
let stack: TestStack;
let causes: Readonly<Record<string, Cause>>;
const faulty = new Set<string>();

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-all-notifications-'));
  webhook = await Webhook.start();
  for (const [index, text] of rules.entries()) {
    const fast = fastRules(text, FACTOR).replaceAll(`> ${thresholds.seriesBudget}`, `> ${SERIES_BUDGET}`);
    writeFileSync(path.join(directory, `rules-${index}.yml`), fast);
  }
  stack = await TestStack.start({
    LOOPWATCH_ALERTMANAGER_CONFIG: webhook.writeConfiguration(directory),
    LOOPWATCH_PROMETHEUS_RULES: path.join(directory, 'rules-*.yml'),
  });
  causes = { ...causesInApplications(stack), ...causesInPipeline(stack.prometheus.url) };
}, 900_000);

afterAll(async () => {
  for (const { stop } of Object.values(causes)) stop?.();
  await stack.stop();
  webhook.stop();
  rmSync(directory, { recursive: true, force: true });
});

test('each alert of the rules is received and can be read, firing and resolved', async () => {
  expect([...Object.keys(causes), OF_COLLECTOR].toSorted()).toEqual(rules.flatMap(alertNames).toSorted());
  const stopping = new AbortController();
  const living = everySecond(stopping.signal);
  try {
    const problems = await Promise.all(Object.entries(causes).map(([alert, cause]) => problemOf(alert, cause)));
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
    expect(await stack.prometheus.failedRules()).toEqual([]);
  } finally {
    stopping.abort();
    await living;
  }

  // Last: without the collector, nothing else has new data.
  const from = webhook.notifications.length;
  await stack.killProgram('collector');
  const firing = await webhook.next(OF_COLLECTOR, '', 'firing', 60_000, from);
  expectReadable(OF_COLLECTOR, '', firing);
  expect(firing.text).toMatch(/^The collector stopped reporting\nPrometheus has received no metrics of the collector/);
  await stack.startProgram('collector');
  expectOver(OF_COLLECTOR, '', await webhook.next(OF_COLLECTOR, '', 'resolved', 60_000, from));
}, 900_000);

/** Each cause by itself, and on time: the ranges of the fast rules are some seconds, and one may take long to send. */
async function everySecond(signal: AbortSignal): Promise<void> {
  await Promise.all(
    Object.entries(causes).map(async ([alert, cause]) => {
      while (!signal.aborted) {
        const next = sleep(1000);
        await cause.everySecond(faulty.has(alert));
        await next;
      }
    }),
  );
}

/** What is wrong with the notifications of an alert, so that one does not hide the others. */
async function problemOf(alert: string, { service, text, historySeconds }: Cause): Promise<string | undefined> {
  try {
    await sleep(historySeconds * 1000);
    const from = webhook.notifications.length;
    faulty.add(alert);
    const firing = await webhook.next(alert, service, 'firing', 180_000, from);
    expectReadable(alert, service, firing);
    expect(firing.text).toMatch(text);
    faulty.delete(alert);
    const after = webhook.notifications.indexOf(firing);
    expectOver(alert, service, await webhook.next(alert, service, 'resolved', 300_000, after));
    return undefined;
  } catch (error) {
    return `${alert}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function expectReadable(alert: string, service: string, { title, text }: { title: string; text: string }): void {
  expect(title).toBe(`1 firing: ${alert}${service === '' ? '' : ` in ${service}`}`);
  expect(text).not.toMatch(/<no value>|%!|\{\{|NaN|undefined/);
  const runbook = runbookFile(alert);
  expect(text).toMatch(new RegExp(`\\nRunbook: https://\\S+/${runbook}\\n\\n$`));
  expect(existsSync(path.join(rootDirectory, 'docs/runbooks', runbook))).toBe(true);
  // A collector sends no traces of its own.
  if (service === '' || alert.startsWith('Telemetry')) return;
  expect(text).toMatch(new RegExp(`\\nTraces, .*: http://127\\.0\\.0\\.1:16686/search\\?service=${service}&`));
  expect(text).toMatch(/\nDashboard: http:\/\/127\.0\.0\.1:3000\/d\/loopwatch-/);
}

function expectOver(alert: string, service: string, { title, text }: { title: string; text: string }): void {
  expect(title).toBe(`Resolved: ${alert}${service === '' ? '' : ` in ${service}`}`);
  expect(text).toMatch(/^Over: .+\n$/);
}
