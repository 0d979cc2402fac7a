import { spawnSync } from 'node:child_process';

import { beforeAll, expect, test } from '@jest/globals';

import { ensureBuilt } from '../../../../scripts/stack/build.mjs';
import { clusterParts, kubeRouterPart, kustomizePart } from '../../../../scripts/stack/kubernetes-parts.mjs';
import { helmPart, parts } from '../../../../scripts/stack/parts.mjs';
import { Jaeger } from '../../src/backends/jaeger.ts';
import { eventually } from '../../src/eventually.ts';
import { ChartInstallation, namespace, podsIn, steady, type Pod } from '../../src/kubernetes/chart-installation.ts';
import { importChartImages, makeRestrictedNamespace, makeVolumes } from '../../src/kubernetes/chart-materials.ts';
import { Cluster } from '../../src/kubernetes/cluster.ts';
import { blockOf, deployApplications, importApplicationImages } from '../../src/kubernetes/injected-application.ts';
import { OnCall } from '../../src/kubernetes/on-call.ts';

// The tests of this file are the life of one installation, in their order.

const application = 'cjs';
const applicationNamespace = 'shop';
const allReady = { agent: 1, gateway: 1, jaeger: 1, prometheus: 1 };
let cluster: Cluster;
let chart: ChartInstallation;

beforeAll(async () => {
  const wanted = [...parts, ...clusterParts, kubeRouterPart, kustomizePart, helmPart];
  const binaries = await ensureBuilt(wanted, () => undefined);
  cluster = await Cluster.start(binaries, process.env['LOOPWATCH_CLUSTER_DIRECTORY']!);
  cluster.enforceNetworkPolicies();
  chart = new ChartInstallation(cluster);
  importChartImages(cluster, binaries);
  importApplicationImages(cluster, [application]);
  makeVolumes(cluster, 4);
  makeRestrictedNamespace(cluster, namespace);
  makeRestrictedNamespace(cluster, applicationNamespace);
  await chart.run('helm install');
  await chart.allReady(allReady);
  deployApplications(cluster, binaries['kustomize']!, [application], { namespace: applicationNamespace });
}, 900_000);

/** What may connect to what with the values as they are, while policies are enforced. */
const permitted = {
  'application to agent:4317': true,
  'application to agent:4318': true,
  'application to gateway:4317': false,
  'application to gateway:4318': false,
  'application to jaeger:4317': false,
  'application to jaeger:16686': true,
  'application to prometheus:9090': true,
  'agent to gateway:4317': true,
  'agent to application:3000': true,
  'gateway to jaeger:4317': true,
  'gateway to prometheus:9090': true,
  'gateway to application:3000': false,
};

test('the policies permit what the chart needs and its users want, and nothing else to gateways and to the storage of traces', async () => {
  await expectConnections(permitted);
});

test('helm test passes, and the block of a pod arrives in Jaeger, while they are enforced', async () => {
  expect(await chart.run('helm test')).toMatch(/Phase:\s+Succeeded/);
  const jaeger = new Jaeger(chart.urlOf('jaeger', 16_686));
  const block = await blockOf(jaeger, application, podOf('application').status.podIP);
  expect(block.resource).toMatchObject({ 'k8s.namespace.name': applicationNamespace });
});

test("a pod that hangs pages: the chart's Alertmanager sends its alert to a webhook in the cluster", async () => {
  const onCall = new OnCall(cluster, `registry.example.com/${application}:1.0.0`);
  await chart.upgrade(onCall.writeValues());
  await chart.allReady({ ...allReady, alertmanager: 1 });
  await expectConnections({ 'prometheus to alertmanager:9093': true });
  const hang = `http://${podOf('application').status.podIP}:3000/hang`;
  fetch(hang, { signal: AbortSignal.timeout(5000) }).catch(() => undefined); // it is never answered
  const notification = await eventually(
    'the notification of the hang',
    async () => (await onCall.received()).find(({ alert }) => alert === 'EventLoopHang'),
    (found) => found !== undefined,
    steady,
  );
  expect(notification).toMatchObject({
    status: 'firing',
    title: `1 firing: EventLoopHang in ${application}`,
    service: application,
  });
  expect(notification.text).toMatch(/^cjs hangs: its event loop has been blocked for \d+/);
  expect(notification.text).toMatch(/\nRunbook: https:\/\/.*event-loop-hang\.md\n\n$/);
});

test('only the namespaces in the values may send and read', async () => {
  const only = 'namespaceSelector.matchLabels.kubernetes\\.io/metadata\\.name=elsewhere';
  await chart.upgrade(`networkPolicy.applications[0].${only}`, `networkPolicy.monitoring[0].${only}`);
  await chart.allReady(allReady);
  await expectConnections({
    ...permitted,
    'application to agent:4317': false,
    'application to agent:4318': false,
    'application to jaeger:16686': false,
    'application to prometheus:9090': false,
  });
});

test('without the policies, all of these connections are possible', async () => {
  await chart.upgrade('networkPolicy.enabled=false');
  await chart.allReady(allReady);
  await expectConnections(Object.fromEntries(Object.keys(permitted).map((connection) => [connection, true])));
});

async function expectConnections(wanted: Readonly<Record<string, boolean>>): Promise<void> {
  const connections = await eventually(
    `these connections: ${JSON.stringify(wanted)}`,
    () => Promise.resolve(Object.fromEntries(Object.keys(wanted).map((each) => [each, isPossible(each)]))),
    (answer) => JSON.stringify(answer) === JSON.stringify(wanted),
    steady,
  );
  expect(connections).toEqual(wanted);
}

/** Tries a connection such as `agent to gateway:4317` in the network of the pod that makes it. */
function isPossible(connection: string): boolean {
  const [, from, to, port] = /^(\w+) to (\w+):(\d+)$/.exec(connection)!;
  const pid = cluster.processOf(podOf(from!).status.containerStatuses[0]!.containerID);
  const connect = `
    const socket = require('node:net').connect(${port}, '${podOf(to!).status.podIP}', () => process.exit(0));
    socket.on('error', () => process.exit(2));
    setTimeout(() => process.exit(2), 1000);`;
  const inItsNetwork = [`--net=/proc/${pid}/ns/net`, process.execPath, '--eval', connect];
  const { status, stderr } = spawnSync('nsenter', inItsNetwork, { encoding: 'utf8' });
  if (status !== 0 && status !== 2)
    throw new Error(`Expected to try ${connection}, got exit code ${status}: ${stderr}`);
  return status === 0;
}

function podOf(name: string): Pod {
  const pods = name === 'application' ? podsIn(cluster, applicationNamespace) : chart.pods(name);
  const [pod] = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (pod === undefined) throw new Error(`Expected a pod of the ${name}.`);
  return pod;
}
