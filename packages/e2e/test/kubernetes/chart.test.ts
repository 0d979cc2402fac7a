import { readFileSync } from 'node:fs';
import path from 'node:path';

import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';

import { rootDirectory } from '../../../../scripts/lib/paths.mjs';
import { ensureBuilt } from '../../../../scripts/stack/build.mjs';
import { clusterParts, kustomizePart } from '../../../../scripts/stack/kubernetes-parts.mjs';
import { helmPart, parts } from '../../../../scripts/stack/parts.mjs';
import { getJson } from '../../src/backends/http.ts';
import { Jaeger } from '../../src/backends/jaeger.ts';
import { Prometheus } from '../../src/backends/prometheus.ts';
import { eventually } from '../../src/eventually.ts';
import {
  ChartInstallation,
  isReady,
  namespace,
  podsIn,
  steady,
  type Pod,
} from '../../src/kubernetes/chart-installation.ts';
import {
  importChartImages,
  importNextCollector,
  makeRestrictedNamespace,
  makeVolumes,
} from '../../src/kubernetes/chart-materials.ts';
import { Cluster } from '../../src/kubernetes/cluster.ts';
import { blockOf, deployApplications, importApplicationImages } from '../../src/kubernetes/injected-application.ts';
import { nodeName } from '../../src/kubernetes/node-configuration.ts';
import type { AcceptedBlock } from '../../src/services/block-stream.ts';
import { LossStream } from '../../src/services/loss-stream.ts';
import { SyntheticService } from '../../src/services/synthetic-service.ts';

// The tests of this file are the life of one installation, in their order.

const application = 'cjs';
const applicationNamespace = 'shop';
const nextTag = 'next';
/** The default of the chart, and what docs/kubernetes.md names as the loss. */
const decisionWaitMs = 30_000;
let cluster: Cluster;
let chart: ChartInstallation;
let jaeger: Jaeger;
let prometheus: Prometheus;
let stream: LossStream | undefined;

beforeAll(async () => {
  const wanted = [...parts, ...clusterParts, kustomizePart, helmPart];
  const binaries = await ensureBuilt(wanted, () => undefined);
  cluster = await Cluster.start(binaries, process.env['LOOPWATCH_CLUSTER_DIRECTORY']!);
  chart = new ChartInstallation(cluster);
  importChartImages(cluster, binaries);
  importApplicationImages(cluster, [application]);
  makeVolumes(cluster, 4);
  makeRestrictedNamespace(cluster, namespace);
  makeRestrictedNamespace(cluster, applicationNamespace);
  await chart.run('helm install');
  await chart.allReady({ agent: 1, gateway: 1, jaeger: 1, prometheus: 1 });
  jaeger = new Jaeger(chart.urlOf('jaeger', 16_686));
  prometheus = new Prometheus(chart.urlOf('prometheus', 9090));
  deployApplications(cluster, binaries['kustomize']!, [application], { namespace: applicationNamespace });
}, 900_000);

afterEach(async () => {
  await stream?.stop();
  stream = undefined;
});

test('the documented command installs pods that become ready without a restart, where only restricted pods are let in', () => {
  expect(chart.pods().map(({ status }) => status.containerStatuses[0]!.restartCount)).toEqual([0, 0, 0, 0]);
});

test('each process of the chart runs without root, on a root file system that is mounted read-only', () => {
  const processes = chart.pods().map(({ status }) => cluster.processOf(status.containerStatuses[0]!.containerID));
  for (const pid of processes) {
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m);
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^CapEff:\t0+$/m);
    expect(readFileSync(`/proc/${pid}/mountinfo`, 'utf8')).toMatch(/ \/ ro[, ]/);
  }
});

test('helm test passes', async () => {
  expect(await chart.run('helm test')).toMatch(/Phase:\s+Succeeded/);
});

test('the block of an injected pod arrives in the Jaeger of the chart, with what only the API knows of the pod', async () => {
  const { metadata, status } = applicationPod();
  const block = await blockOf(jaeger, application, status.podIP);
  expect(block.resource).toMatchObject({
    'k8s.namespace.name': applicationNamespace,
    'k8s.pod.name': metadata.name,
    'k8s.pod.uid': metadata.uid,
    'k8s.node.name': nodeName,
    'k8s.deployment.name': application, // the pod does not send it
  });
});

test('the documented command opens the Jaeger of the chart', async () => {
  const forward = chart.start('kubectl --namespace loopwatch port-forward');
  try {
    const page = new Jaeger('http://127.0.0.1:16686');
    const ask = () => page.spansNamed(application, 'event-loop-blocked');
    const spans = await eventually('Jaeger answers', ask, () => true, { withinMs: 30_000, everyMs: 500 });
    expect(spans.length).toBeGreaterThan(0);
  } finally {
    forward.kill();
  }
});

test('a process that says nothing about its pod gets the names of the pod by its address', async () => {
  const { metadata } = applicationPod();
  const url = `http://loopwatch-agent.${namespace}.svc:4318/v1/traces`;
  const sendSpan = `
    const now = Date.now();
    const attributes = [{ key: 'service.name', value: { stringValue: 'without-names' } }];
    const span = { traceId: '5b8efff798038103d269b633813fc60c', spanId: 'eee19b7ec3c1b174', name: 'GET /', kind: 2,
      startTimeUnixNano: now - 5 + '000000', endTimeUnixNano: now + '000000' };
    const body = { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: [span] }] }] };
    const headers = { 'content-type': 'application/json' };
    fetch('${url}', { method: 'POST', headers, body: JSON.stringify(body) }).then(({ status }) => console.log(status));`;
  const words = ['exec', `--namespace=${applicationNamespace}`, `deployment/${application}`, '--'];
  expect(cluster.kubectl(...words, '/bin/node', '--eval', sendSpan)).toMatch(/^200$/m);
  const [span] = await eventually(
    'the span of the process',
    () => jaeger.spansNamed('without-names', 'GET /'),
    (spans) => spans.length > 0,
    { withinMs: 90_000, everyMs: 1000 },
  );
  expect(span!.resource).toMatchObject({
    'k8s.namespace.name': applicationNamespace,
    'k8s.pod.name': metadata.name,
    'k8s.deployment.name': application,
  });
});

test('the Prometheus of the chart evaluates all rules, and has the metrics of the pod and of the collectors', async () => {
  const text = readFileSync(path.join(rootDirectory, 'deploy/prometheus/rules/event-loop.yml'), 'utf8');
  const { groups } = parse(text) as { groups: { rules: { record?: string; alert?: string }[] }[] };
  const expected = groups.flatMap(({ rules }) => rules.map(({ record, alert }) => `${record ?? alert!}: ok`));
  await eventually(
    'all rules are evaluated',
    async () => {
      const answer = (await getJson(new URL('/api/v1/rules', prometheus.url))) as RulesAnswer;
      return answer.data.groups.flatMap(({ rules }) => rules.map(({ name, health }) => `${name}: ${health}`));
    },
    (rules) => rules.toSorted().join() === expected.toSorted().join(),
    { withinMs: 120_000, everyMs: 1000 },
  );
  const { metadata } = applicationPod();
  const pod = `k8s_pod_name="${metadata.name}",k8s_namespace_name="${applicationNamespace}"`;
  for (const expr of [
    `{__name__=~"event_loop_blocked_duration.*",${pod}}`,
    `service:event_loop_instances:count{service_name="${application}"}`,
    ...['agent', 'gateway'].map((name) => `otelcol_process_uptime_seconds_total{service_name="loopwatch-${name}"}`),
  ]) {
    await eventually(
      `samples of ${expr}`,
      () => prometheus.query(expr),
      (samples) => samples.length > 0,
      { withinMs: 120_000, everyMs: 1000 },
    );
  }
  const firing = (await prometheus.alerts()).filter(({ state }) => state === 'firing');
  expect(firing.map(({ labels }) => labels['alertname']).filter((name) => name!.startsWith('Telemetry'))).toEqual([]);
});

test('a gateway that is killed loses no accepted block, hang or metric, and of other spans those that waited for their decision', async () => {
  stream = lossStream('killed-gateway');
  await acceptedForMs(stream, decisionWaitMs + 10_000);
  const { status } = chart.pods('gateway')[0]!;
  const kills = [Date.now()];
  process.kill(cluster.processOf(status.containerStatuses[0]!.containerID), 'SIGKILL');
  await eventually(
    'a restart of the container',
    () => Promise.resolve(chart.pods('gateway')[0]!.status.containerStatuses[0]!),
    ({ restartCount, ready }) => restartCount === 1 && ready,
    steady,
  );
  await acceptedForMs(stream, 10_000);
  kills.push(Date.now());
  const { uid } = chart.pods('gateway')[0]!.metadata;
  cluster.kubectl('delete', 'pod', '--namespace', namespace, 'loopwatch-gateway-0', '--grace-period=0', '--force');
  await eventually(
    'a pod in its place',
    () => Promise.resolve(chart.pods('gateway')[0]),
    (pod) => pod !== undefined && pod.metadata.uid !== uid && isReady(pod),
    steady,
  );
  await acceptedForMs(stream, 10_000);

  const lost = await outcomeOf(stream);
  for (const { acceptedAtMs } of lost) {
    const before = kills.map((killedAtMs) => killedAtMs - acceptedAtMs);
    expect(before.some((ms) => ms > -1000 && ms < decisionWaitMs)).toBe(true);
  }
});

test('an agent that is replaced while the gateway restarts loses no accepted block, hang or metric', async () => {
  stream = lossStream('replaced-agent');
  const [before] = chart.pods('agent');
  const scale = (replicas: number) =>
    cluster.kubectl('scale', 'statefulset/loopwatch-gateway', '--namespace', namespace, `--replicas=${replicas}`);
  scale(0);
  await eventually(
    'the gateway is gone',
    () => Promise.resolve(chart.pods('gateway')),
    (left) => left.length === 0,
    steady,
  );
  await acceptedForMs(stream, 5000);
  // What an upgrade does on one node after the other, while the gateway is replaced too.
  cluster.kubectl('rollout', 'restart', 'daemonset/loopwatch-agent', '--namespace', namespace);
  scale(1);
  await cluster.run('kubectl', ['rollout', 'status', 'daemonset/loopwatch-agent', '--namespace', namespace]);
  await acceptedForMs(stream, 5000);
  const [after] = chart.pods('agent').filter(isReady);
  expect(after!.metadata.uid).not.toBe(before!.metadata.uid);
  await outcomeOf(stream);
});

test('an upgrade of agents and gateways loses no accepted block, hang or metric', async () => {
  importNextCollector(cluster, nextTag);
  stream = lossStream('upgrade');
  await acceptedForMs(stream, 10_000);
  await chart.upgrade(`image.tag=${nextTag}`);
  await acceptedForMs(stream, 10_000);
  expect(imagesOfCollectors()).toEqual([expect.stringMatching(/:next$/), expect.stringMatching(/:next$/)]);
  await outcomeOf(stream);
});

test('a rollback brings the earlier version back, and loses no accepted block, hang or metric', async () => {
  stream = lossStream('rollback');
  await acceptedForMs(stream, 10_000);
  await chart.run('helm rollback', '--wait', '--timeout=5m');
  await chart.allReady({ agent: 1, gateway: 1, jaeger: 1, prometheus: 1 });
  await acceptedForMs(stream, 10_000);
  expect(imagesOfCollectors().join()).not.toContain(nextTag);
  await outcomeOf(stream);
});

test('the drain of a node leaves one of two gateways, and loses no accepted block, hang or metric', async () => {
  await chart.upgrade('agent.routing=static', 'gateway.replicas=2', 'gateway.podDisruptionBudget.enabled=true');
  await chart.allReady({ agent: 1, gateway: 2, jaeger: 1, prometheus: 1 });
  stream = lossStream('drain');
  await acceptedForMs(stream, 10_000);
  const drain = ['drain', nodeName, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=60s'];
  // There is no other node, so that the gateway that was evicted does not come back and the budget is used up.
  await expect(cluster.run('kubectl', drain)).rejects.toThrow(/disruption budget/);
  expect(chart.pods('gateway').filter(isReady)).toHaveLength(1);
  expect([...chart.pods('jaeger'), ...chart.pods('prometheus')].filter(isReady)).toEqual([]);
  cluster.kubectl('uncordon', nodeName);
  await chart.allReady({ agent: 1, gateway: 2, jaeger: 1, prometheus: 1 });
  await acceptedForMs(stream, 10_000);
  await outcomeOf(stream);
});

test('a new size of the queue is refused until the StatefulSet is deleted without its pods, which then get the new sizes', async () => {
  const settings = ['agent.routing=static', 'gateway.replicas=2', 'gateway.queue.size=3Gi'];
  const identities = () => chart.pods('gateway').map(({ metadata }) => `${metadata.name} ${metadata.uid}`);
  const before = identities();
  await expect(chart.upgrade(...settings)).rejects.toThrow(/updates to statefulset spec/);
  await chart.run('kubectl delete statefulset');
  expect(identities()).toEqual(before);
  await chart.upgrade(...settings);
  await chart.allReady({ agent: 1, gateway: 2, jaeger: 1, prometheus: 1 });
  const statefulSet = cluster.get('statefulset/loopwatch-gateway', '--namespace', namespace);
  const resources = { requests: { storage: '3Gi' } };
  expect(statefulSet).toMatchObject({ spec: { volumeClaimTemplates: [{ spec: { resources } }] } });
  const bytes = { name: 'LOOPWATCH_COLLECTOR_BLOCKS_QUEUE_BYTES', value: String(Math.floor(0.3 * 2 ** 30)) };
  for (const { spec } of chart.pods('gateway'))
    expect(spec.containers[0]).toMatchObject({ env: expect.arrayContaining([bytes]) });
});

test('helm uninstall leaves the claims of the volumes and nothing else', async () => {
  await cluster.run('helm', ['uninstall', 'loopwatch', '--namespace', namespace, '--wait', '--timeout=5m']);
  await eventually(
    'all pods are gone',
    () => Promise.resolve(chart.pods()),
    (left) => left.length === 0,
    steady,
  );
  const listed = ['--verbs=list', '--output=name'];
  const namesOf = (...words: string[]) =>
    cluster
      .kubectl(...words)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('Warning: '));
  const types = (isNamespaced: boolean) =>
    namesOf('api-resources', ...listed, `--namespaced=${isNamespaced}`).filter((type) => !type.startsWith('events'));
  const ofCluster = namesOf('get', types(false).join(), '--output=name');
  expect(ofCluster.filter((name) => name.includes('loopwatch'))).toEqual(['namespace/loopwatch']);
  const left = namesOf('get', types(true).join(), '--namespace', namespace, '--output=name');
  expect(left.toSorted()).toEqual([
    'configmap/kube-root-ca.crt',
    'persistentvolumeclaim/data-loopwatch-jaeger-0',
    'persistentvolumeclaim/data-loopwatch-prometheus-0',
    'persistentvolumeclaim/queue-loopwatch-gateway-0',
    'persistentvolumeclaim/queue-loopwatch-gateway-1',
    'serviceaccount/default',
  ]);
});

function lossStream(service: string): LossStream {
  return new LossStream(new SyntheticService(chart.urlOf('agent', 4318), service));
}

/** Waits until the agent has accepted a block that is so much newer than this call. */
async function acceptedForMs({ blocks }: LossStream, durationMs: number): Promise<void> {
  const sinceMs = Date.now();
  await eventually(
    'the agent accepts blocks',
    () => Promise.resolve(blocks.at(-1)?.acceptedAtMs ?? 0),
    (latestMs) => latestMs >= sinceMs + durationMs,
    steady,
  );
}

/** Waits for all that was accepted, and returns the blocks whose request has not come, when it should have. */
async function outcomeOf(sent: LossStream): Promise<readonly AcceptedBlock[]> {
  await sent.stop();
  await eventually(
    `nothing is missing of what was accepted: ${sent.describe()}`,
    () => sent.missingIn(jaeger, prometheus),
    ({ blocks, hangs, points }) => blocks + hangs + points === 0,
    steady,
  );
  let withoutRequest: readonly AcceptedBlock[] = [];
  const deadlineMs = Date.now() + decisionWaitMs + 10_000;
  await eventually(
    'the decisions are made',
    async () => {
      const stored = await jaeger.search(sent.name, 'event-loop-blocked', 20_000);
      const requests = new Set(stored.filter(({ kind }) => kind === 2).map(({ traceId }) => traceId));
      withoutRequest = sent.blocks.filter(({ traceId }) => !requests.has(traceId));
      return withoutRequest.length;
    },
    (count) => count === 0 || Date.now() > deadlineMs,
    steady,
  );
  process.stderr.write(
    `${sent.describe()}; nothing of it lost; ${withoutRequest.length} of ${sent.blocks.length} other spans lost\n`,
  );
  return withoutRequest;
}

function imagesOfCollectors(): string[] {
  return chart
    .pods()
    .filter(({ metadata }) => /agent|gateway/.test(metadata.name))
    .map(({ spec }) => spec.containers[0]!.image);
}

function applicationPod(): Pod {
  const [pod, ...others] = podsIn(cluster, applicationNamespace);
  expect(others).toEqual([]);
  return pod!;
}

interface RulesAnswer {
  readonly data: {
    readonly groups: readonly { readonly rules: readonly { readonly name: string; readonly health: string }[] }[];
  };
}
