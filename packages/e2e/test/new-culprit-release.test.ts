import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

import { backfillVersion } from '../src/backends/version-history.ts';
import { Demo } from '../src/services/demo.ts';
import { eventually } from '../src/eventually.ts';
import { TestStack } from '../src/test-stack.ts';

const service = 'loopwatch-demo';
const alertname = 'EventLoopNewCulprit';
const newFunction = 'countActive';
const olderFunctions = ['createSpans', 'listSchedules'];
/** Requests that `olderFunctions` block in both releases, and one that the new function blocks in release 2. */
const routes = ['/runs/1/trace', '/projects/billing/schedules', '/projects/billing/tasks'];

/**
 * The rules are those of production. The alert compares with a version that has been watched for hours, so Prometheus gets
 * the record of these hours, written by `promtool`. All other samples are those of the demo.
 */
const HOURS_OF_RELEASE_1 = 5;

/** The alert wants blocks in several minutes, and few of them; more would only take the CPU from other tests. */
const REQUESTS_EVERY_MS = 5_000;

let stack: TestStack;
let demo: Demo;

beforeAll(async () => {
  stack = await TestStack.start();
  await backfillVersion(stack, { service, version: '1.0.0', hours: HOURS_OF_RELEASE_1 });
});

afterEach(async () => {
  await demo.stop();
});

afterAll(async () => {
  await stack.stop();
});

test('after release 2 of the demo, EventLoopNewCulprit names its new function, and none of release 1', async () => {
  await deploy(1);
  const ofRelease1 = await eventually(
    'Prometheus knows the functions that block in release 1',
    () => functionsAfterRequests('1.0.0'),
    (functions) => olderFunctions.every((name) => functions.includes(name)),
    { withinMs: 60_000, everyMs: REQUESTS_EVERY_MS },
  );
  expect(ofRelease1).not.toContain(newFunction);
  await demo.stop();

  await deploy(2);
  const { alert } = await eventually(
    'the alert fires',
    async () => ({
      functions: await functionsAfterRequests('2.0.0'),
      ownShare: await ownShare(),
      alert: await alertOf(),
    }),
    (answer) => answer.alert?.state === 'firing',
    { withinMs: 200_000, everyMs: REQUESTS_EVERY_MS },
  );
  expect(alert?.labels).toMatchObject({
    service_name: service,
    service_version: '2.0.0',
    code_function_name: newFunction,
  });
  expect(alert?.annotations).toMatchObject({
    summary: `${newFunction} blocks ${service} since version 2.0.0`,
    description: expect.stringMatching(/^countActive \(\S+count-active\.ts:\d+\) took .*New in 2\.0\.0/),
  });
  // They block in release 2 too, and the alert has fired for none of them at any time.
  expect(await functionsAfterRequests('2.0.0')).toEqual(expect.arrayContaining(olderFunctions));
  expect(await functionsIn(`count_over_time(ALERTS{alertname="${alertname}"}[1h])`)).toEqual([newFunction]);
});

async function deploy(release: 1 | 2): Promise<void> {
  demo = await Demo.start(stack, {
    DEMO_RELEASE: String(release),
    OTEL_RESOURCE_ATTRIBUTES: `service.version=${release}.0.0`,
  });
  // The alert does not fire for a function that mostly waits for a CPU.
  demo.runFirst();
}

/** The functions that the rules remember of a release, after more requests to it. */
async function functionsAfterRequests(version: string): Promise<readonly string[]> {
  for (const route of routes) await demo.request('GET', route);
  return functionsIn(
    `culprit:event_loop_last_blocked:timestamp{service_name="${service}",service_version="${version}"}`,
  );
}

async function functionsIn(expr: string): Promise<readonly string[]> {
  return [...new Set((await stack.prometheus.query(expr)).map(({ metric }) => metric['code_function_name'] ?? ''))];
}

async function alertOf() {
  return (await stack.prometheus.alerts()).find(({ labels }) => labels['alertname'] === alertname);
}

/** The alert does not fire while this is below a half: the host is so busy that the blocks are mostly waiting for a CPU. */
function ownShare(): Promise<number> {
  const culprit = `{code_function_name="${newFunction}"}`;
  return stack.prometheus.sum(
    `culprit:event_loop_blocked_own_seconds:increase10m${culprit} / culprit:event_loop_blocked_seconds:increase10m${culprit}`,
  );
}
