import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { rootDirectory } from '../../../../scripts/lib/paths.mjs';
import { ensureBuilt } from '../../../../scripts/stack/build.mjs';
import { clusterParts } from '../../../../scripts/stack/kubernetes-parts.mjs';
import { helmPart } from '../../../../scripts/stack/parts.mjs';
import { eventually } from '../../src/eventually.ts';
import { isReady, namespace, podsIn, type Pod } from '../../src/kubernetes/chart-installation.ts';
import { Cluster } from '../../src/kubernetes/cluster.ts';
import { MetricsApi } from '../../src/kubernetes/metrics-api.ts';
import { StandInNodes } from '../../src/kubernetes/stand-in-nodes.ts';

// What the real scheduler and controllers make of the chart on six nodes in three zones. The nodes are objects of the API
// without a kubelet, so no pod runs; the tests are in their order.

const chart = path.join(rootDirectory, 'deploy/kubernetes/loopwatch');
const nodes = ['a', 'b', 'c'].flatMap((zone) => [1, 2].map((number) => ({ name: `${zone}${number}`, zone })));
const steady = { withinMs: 120_000, everyMs: 1000 };
let cluster: Cluster;
let standIns: StandInNodes;
let metricsApi: MetricsApi | undefined;

beforeAll(async () => {
  cluster = await Cluster.startWithoutNode(
    await ensureBuilt([...clusterParts.filter(({ name }) => name !== 'containerd'), helmPart], () => undefined),
    process.env['LOOPWATCH_CLUSTER_DIRECTORY']!,
  );
  standIns = StandInNodes.start(cluster, nodes);
  makeVolumesInZones(4);
}, 600_000);

afterAll(async () => {
  metricsApi?.stop();
  await standIns.stop();
});

test('three gateways with a volume each go to three zones, and an agent to each node', async () => {
  await install('cassandra-mimir');
  await gatewaysReady(3);
  expect(zonesOf(podsOf('gateway'))).toEqual(['a', 'b', 'c']);
  await eventually(
    'an agent on each node',
    () => Promise.resolve(podsOf('agent').map(nodeOf).toSorted()),
    (used) => used.join() === nodes.map(({ name }) => name).join(),
    steady,
  );
});

test('a drain moves one gateway to the other node of its zone, with its volume', async () => {
  const drained = nodeOf(gateway(0));
  await drain(drained);
  await gatewaysReady(3);
  expect(nodeOf(gateway(0))).not.toBe(drained);
  expect(nodeOf(gateway(0))[0]).toBe(drained[0]);
  cluster.kubectl('uncordon', drained);
});

test('while a gateway is not ready, the drain of another one is refused', async () => {
  standIns.unready.add('loopwatch-gateway-0');
  await drain(nodeOf(gateway(0)));
  await expect(drain(nodeOf(gateway(1)), '5s')).rejects.toThrow(/disruption budget/);
  expect(isReady(gateway(1))).toBe(true);
  standIns.unready.clear();
  await gatewaysReady(3);
  await drain(nodeOf(gateway(1)));
  await gatewaysReady(3);
  for (const { name } of nodes) cluster.kubectl('uncordon', name);
});

test('the autoscaler adds gateways by their CPU, spread over the zones', async () => {
  await cluster.run('helm', ['uninstall', 'loopwatch', `--namespace=${namespace}`, '--wait']);
  const api = await MetricsApi.start(cluster);
  metricsApi = api;
  // A quarter of what the chart asks for is used, of which it wants 60 %.
  api.milliCpu = 50;
  await install('load-balancing', 'gateway.queue.persistent=false');
  await gatewaysReady(6);
  expect(zonesOf(podsOf('gateway'))).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
  await eventually(
    'the autoscaler reads the metrics',
    () => Promise.resolve(autoscaler().status?.currentMetrics?.[0]?.resource.current.averageUtilization),
    (utilization) => utilization === 25,
    steady,
  );
  api.milliCpu = 180;
  await gatewaysReady(9);
  expect(zonesOf(podsOf('gateway'))).toEqual(['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c']);
});

async function install(values: string, ...settings: readonly string[]): Promise<void> {
  const set = settings.flatMap((setting) => ['--set', setting]);
  const file = path.join(chart, `values/${values}.yaml`);
  const where = [`--namespace=${namespace}`, '--create-namespace'];
  // The objects of the Prometheus Operator need its definitions.
  const all = [...set, '--set', 'prometheusOperator.rules=false', '--set', 'prometheusOperator.serviceMonitors=false'];
  await cluster.run('helm', ['install', 'loopwatch', chart, ...where, '--values', file, ...all]);
}

async function drain(node: string, timeout = '60s'): Promise<void> {
  const words = ['--ignore-daemonsets', '--delete-emptydir-data', `--timeout=${timeout}`];
  await cluster.run('kubectl', ['drain', node, ...words]);
}

async function gatewaysReady(count: number): Promise<void> {
  await eventually(
    `${count} gateways are ready`,
    () => Promise.resolve(podsOf('gateway').map((pod) => `${pod.metadata.name} ${nodeOf(pod)} ${isReady(pod)}`)),
    (pods) => pods.length === count && pods.every((pod) => pod.endsWith(' true')),
    steady,
  );
}

function podsOf(component: string): readonly ScheduledPod[] {
  return (podsIn(cluster, namespace) as readonly ScheduledPod[]).filter(
    ({ metadata }) => metadata.labels['app.kubernetes.io/component'] === component,
  );
}

function gateway(index: number): ScheduledPod {
  const pod = podsOf('gateway').find(({ metadata }) => metadata.name === `loopwatch-gateway-${index}`);
  if (pod === undefined) throw new Error(`Expected the gateway ${index}.`);
  return pod;
}

function nodeOf({ spec }: ScheduledPod): string {
  return spec.nodeName ?? '';
}

/** The first letter of a node is its zone. */
function zonesOf(pods: readonly ScheduledPod[]): string[] {
  return pods.map((pod) => nodeOf(pod)[0] ?? '').toSorted();
}

function autoscaler(): Autoscaler {
  return cluster.get('horizontalpodautoscaler/loopwatch-gateway', `--namespace=${namespace}`) as Autoscaler;
}

/** A default storage class whose volumes each node of their zone can mount, as those of clouds. */
function makeVolumesInZones(perZone: number): void {
  const name = 'zonal';
  cluster.apply(
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
    ...['a', 'b', 'c'].flatMap((zone) =>
      Array.from({ length: perZone }, (_, index) => {
        const isInZone = { key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] };
        return {
          apiVersion: 'v1',
          kind: 'PersistentVolume',
          metadata: { name: `volume-${zone}-${index}` },
          spec: {
            capacity: { storage: '100Gi' },
            accessModes: ['ReadWriteOnce'],
            persistentVolumeReclaimPolicy: 'Retain',
            storageClassName: name,
            local: { path: '/volume' },
            nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [isInZone] }] } },
          },
        };
      }),
    ),
  );
}

interface ScheduledPod extends Pod {
  readonly spec: Pod['spec'] & { readonly nodeName?: string };
}

interface Autoscaler {
  readonly status?: {
    readonly currentMetrics?: readonly {
      readonly resource: { readonly current: { readonly averageUtilization: number } };
    }[];
  };
}
