import { connect, createServer } from 'node:net';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { ensureBuilt } from '../../../../scripts/stack/build.mjs';
import { clusterParts, kustomizePart } from '../../../../scripts/stack/kubernetes-parts.mjs';
import { eventually } from '../../src/eventually.ts';
import { Cluster } from '../../src/kubernetes/cluster.ts';
import { blockOf, deployApplications, importApplicationImages } from '../../src/kubernetes/injected-application.ts';
import { hostAddress } from '../../src/kubernetes/node-configuration.ts';
import { TestStack } from '../../src/test-stack.ts';

const directory = process.env['LOOPWATCH_CLUSTER_DIRECTORY']!;
const livenessThresholdMs = 6000;
const applications = ['cjs', 'mjs'];
let stack: TestStack;
let cluster: Cluster;

beforeAll(async () => {
  const binaries = await ensureBuilt([...clusterParts, kustomizePart], () => undefined);
  cluster = await Cluster.start(binaries, directory);
  stack = await TestStack.start();
  forward(4318, Number(new URL(stack.otlpUrl).port));
  importApplicationImages(cluster, applications);
  // With the addresses and the times of this test.
  deployApplications(cluster, binaries['kustomize']!, applications, {
    editSettings: (text) => text.replace(/endpoint: .*/, `endpoint: http://${hostAddress}:4318`),
    editDeployment: (text) =>
      text
        .replace("value: '60000'", `value: '${livenessThresholdMs}'`)
        .replace('periodSeconds: 10', 'periodSeconds: 2'),
  });
}, 600_000);

afterAll(async () => {
  await stack.stop();
});

test.each(applications)(
  'the block of the injected pod %s arrives in Jaeger, in its request and with its pod',
  async (name) => {
    const { metadata, status } = podOf(name);
    const block = await blockOf(stack.jaeger, name, status.podIP);
    const parent = await eventually(
      'the span of the request',
      async () => (await stack.jaeger.trace(block.traceId)).find(({ spanId }) => spanId === block.parentSpanId),
      (span) => span !== undefined,
    );
    expect(parent.kind).toBe(2);
    expect(block.resource).toMatchObject({
      'k8s.namespace.name': 'default',
      'k8s.pod.name': metadata.name,
      'k8s.pod.uid': metadata.uid,
      'k8s.node.name': 'node1',
      'service.name': name,
    });
  },
);

test('a pod that is blocked for a moment is left alone, and one that hangs gets no requests and is restarted', async () => {
  const { status } = podOf('cjs');
  await ask(status.podIP, '/block');
  expect(podOf('cjs').status.containerStatuses[0]!.restartCount).toBe(0);
  const hungAt = performance.now();
  void ask(status.podIP, '/hang').catch(() => undefined); // its connection is reset
  const unready = await eventually(
    'a pod that gets no requests',
    () => Promise.resolve(podOf('cjs')),
    ({ status: { conditions } }) => conditions.some(({ type, status: is }) => type === 'Ready' && is === 'False'),
    { withinMs: livenessThresholdMs, everyMs: 200 },
  );
  console.info(`not ready ${((performance.now() - hungAt) / 1000).toFixed(1)} s after the hang began`);
  expect(unready.status.containerStatuses[0]!.restartCount).toBe(0);
  await eventually(
    'a restart',
    () => Promise.resolve(podOf('cjs').status.containerStatuses[0]!.restartCount),
    (count) => count === 1,
    { withinMs: 120_000, everyMs: 1000 },
  );
  const events = cluster.kubectl('get', 'events', '--field-selector=reason=Unhealthy', '--output=yaml');
  expect(events).toContain('503');
  expect(podOf('mjs').status.containerStatuses[0]!.restartCount).toBe(0);
});

test('the application runs as another user than root, without a shell, on a read-only root', () => {
  const { spec } = podOf('mjs');
  expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
  expect(spec.containers[0]!.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
  expect(() => cluster.kubectl('exec', 'deployment/mjs', '--', 'sh', '-c', 'true')).toThrow(/sh/);
});

/** Pods reach the collector, which listens on the loopback address only, by the address of their host. */
function forward(port: number, target: number): void {
  const server = createServer((socket) => {
    const upstream = connect(target, '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    for (const end of [socket, upstream]) end.on('error', () => socket.destroy());
  });
  server.listen(port, hostAddress).unref();
}

async function ask(address: string, route: string): Promise<void> {
  await (await fetch(`http://${address}:3000${route}`)).arrayBuffer();
}

function podOf(name: string): Pod {
  const { items } = cluster.get('pods', '-l', `app.kubernetes.io/name=${name}`) as { readonly items: readonly Pod[] };
  expect(items).toHaveLength(1);
  return items[0]!;
}

interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: {
    readonly securityContext: object;
    readonly containers: readonly { readonly securityContext: object }[];
  };
  readonly status: {
    readonly podIP: string;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses: readonly { readonly restartCount: number }[];
  };
}
