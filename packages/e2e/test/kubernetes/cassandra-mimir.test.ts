import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';

import { rootDirectory } from '../../../../scripts/lib/paths.mjs';
import { ensureBuilt } from '../../../../scripts/stack/build.mjs';
import { ensureCassandraJars } from '../../../../scripts/stack/cassandra-jars.mjs';
import { collectorPart, helmPart, mimirPart, parts } from '../../../../scripts/stack/parts.mjs';
import { Cassandra, cassandraUser } from '../../src/backends/cassandra.ts';
import { Jaeger } from '../../src/backends/jaeger.ts';
import { documentedLimits, Mimir } from '../../src/backends/mimir.ts';
import { Prometheus } from '../../src/backends/prometheus.ts';
import { startCollector, type RunningCollector } from '../../src/chart/collector.ts';
import { environmentOf, podsOf } from '../../src/chart/pods.ts';
import { find, render, type Manifest } from '../../src/chart/render.ts';
import { eventually } from '../../src/eventually.ts';
import { bringUpLoopback } from '../../src/kubernetes/network.ts';
import { startClusterApi, type ClusterApi } from '../../src/load/cluster-api.ts';
import { LossStream } from '../../src/services/loss-stream.ts';
import { SyntheticService } from '../../src/services/synthetic-service.ts';
import { freeStackPorts } from '../../src/stack-ports.ts';

// values/cassandra-mimir.yaml with real servers: the agent, a gateway and Jaeger run with the chart's configurations as
// processes of this machine, on a Cassandra and a Mimir.

const directory = process.env['LOOPWATCH_CLUSTER_DIRECTORY']!;
const steady = { withinMs: 120_000, everyMs: 1000 };
let binaries: Readonly<Record<string, string>>;
let manifests: readonly Manifest[];
let cassandra: Cassandra;
let mimir: Mimir;
let metrics: Prometheus;
let clusterApi: ClusterApi;
let jaeger: RunningJaeger;
let gateway: RunningCollector;
let agent: RunningCollector;
const stops: (() => unknown)[] = [];

beforeAll(async () => {
  const log = () => undefined;
  const jaegerPart = parts.filter(({ name }) => name === 'jaeger');
  binaries = await ensureBuilt([...jaegerPart, helmPart, collectorPart, mimirPart], log);
  bringUpLoopback();
  cassandra = new Cassandra(await ensureCassandraJars(log), path.join(directory, 'cassandra'));
  const ports = await freeStackPorts();
  const mimirPorts = { http: ports.prometheus, grpc: ports.jaegerQueryGrpc, gossip: ports.jaegerHealth };
  stops.push(() => cassandra.kill());
  [mimir] = await Promise.all([
    Mimir.start(binaries['mimir']!, path.join(directory, 'mimir'), mimirPorts, documentedLimits()),
    cassandra.start(),
  ]);
  stops.push(() => mimir.stop());
  metrics = new Prometheus(`${mimir.url}/prometheus/`);
  manifests = render(
    binaries['helm']!,
    'cassandra-mimir',
    // Instead of the addresses of a cluster; and one gateway, because there is one machine.
    `jaeger.cassandra.servers={${cassandra.server}}`,
    `jaeger.metricsUrl=${mimir.url}/prometheus`,
    `metrics.endpoint=${mimir.url}/otlp`,
    'gateway.replicas=1',
  );
  jaeger = await startJaeger();
  stops.push(() => jaeger.kill());
  await startCollectors();
}, 900_000);

afterAll(async () => {
  // What has not started, because an earlier one failed, is not there.
  await Promise.all(stops.map((stop) => stop()));
});

test('blocks, hangs and metrics are in Cassandra and Mimir, also after Jaeger and Cassandra were killed', async () => {
  const stream = new LossStream(new SyntheticService(agent.otlpUrl, 'stored'));
  await eventually(
    'some blocks',
    () => Promise.resolve(stream.blocks.length),
    (count) => count >= 50,
    steady,
  );
  await jaeger.kill();
  await cassandra.kill();
  const before = stream.blocks.length;
  await eventually(
    'blocks of the outage',
    () => Promise.resolve(stream.blocks.length),
    (count) => count >= before + 50,
    steady,
  );
  await cassandra.start();
  jaeger = await startJaeger();
  await stream.stop();
  await eventually(
    `nothing is missing of what was accepted: ${stream.describe()}`,
    () => stream.missingIn(jaeger.api, metrics),
    ({ blocks, hangs, points }) => blocks + hangs + points === 0,
    steady,
  );
  process.stderr.write(`${stream.describe()}; nothing of it lost\n`);
  const [block] = await jaeger.api.spansNamed('stored', 'event-loop-blocked');
  expect(block!.attributes).toMatchObject({ 'code.function.name': 'duringFault', 'code.line.number': 42 });
  expect(block!.resource).toMatchObject({ 'k8s.pod.name': 'web-1', 'k8s.cluster.name': 'production' });
});

test('the Monitor tab of Jaeger has the latencies that the gateways counted, from Mimir', async () => {
  const latencies = await eventually(
    'latencies',
    () => jaeger.api.latencies('stored', 0.95),
    (points) => points.some((value) => value > 0),
    steady,
  );
  // Milliseconds: each request was blocked for 200 ms.
  expect(Math.max(...latencies.filter((value) => value > 0))).toBeGreaterThan(100);
  expect(Math.max(...latencies.filter((value) => value > 0))).toBeLessThan(1000);
});

test('culprits by service are in Mimir as native histograms, with exemplars that lead to traces', async () => {
  const calls = 'event_loop_blocked_span_calls_total{service_name="stored",code_function_name="duringFault"}';
  await eventually(
    'the count of blocks',
    () => metrics.sum(calls),
    (count) => count > 100,
    steady,
  );
  const median = 'histogram_quantile(0.5, sum(event_loop_blocked_span_duration_seconds{service_name="stored"}))';
  const [answer] = await metrics.query(median);
  expect(answer!.value).toBeGreaterThan(0.15);
  expect(answer!.value).toBeLessThan(0.25);
  const [exemplar] = await metrics.exemplars('event_loop_blocked_span_duration_seconds{service_name="stored"}');
  expect(await jaeger.api.trace(exemplar!.labels['trace_id']!)).not.toEqual([]);
});

test("Mimir's ruler takes the rules, evaluates all of them and raises the alert", async () => {
  const text = readFileSync(path.join(rootDirectory, 'deploy/prometheus/rules/event-loop.yml'), 'utf8');
  const { groups } = parse(text) as { groups: { rules: object[] }[] };
  for (const group of groups) await mimir.loadRules('loopwatch', stringify(group));
  const service = new SyntheticService(agent.otlpUrl, 'lagging');
  service.recordLags(2);
  const rules = groups.flatMap((group) => group.rules).length;
  const { healthy: evaluated } = await eventually(
    'all rules are evaluated and the alert fires',
    async () => {
      await service.exportMetrics();
      service.recordLags(2);
      const states = await metrics.rules();
      const alerts = await metrics.alerts();
      return {
        healthy: states.filter(({ health }) => health === 'ok').length,
        alerts: alerts.map(({ labels }) => `${labels['alertname']} ${labels['service_name']}`),
      };
    },
    ({ healthy, alerts }) => healthy === rules && alerts.includes('EventLoopLagHigh lagging'),
    steady,
  );
  expect(evaluated).toBe(rules);
});

interface RunningJaeger {
  readonly api: Jaeger;
  kill(): Promise<void>;
}

async function startJaeger(): Promise<RunningJaeger> {
  const { data } = find(manifests, 'ConfigMap', 'lw-jaeger');
  const { pod } = podsOf(manifests).find(({ owner }) => owner === 'StatefulSet lw-jaeger')!;
  const folder = path.join(directory, 'jaeger');
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(data!)) writeFileSync(path.join(folder, name), content);
  const ports = await freeStackPorts();
  const log = openSync(path.join(folder, 'jaeger.log'), 'a');
  const child: ChildProcess = spawn(binaries['jaeger']!, ['--config', path.join(folder, 'config.yaml')], {
    stdio: ['ignore', log, log],
    env: {
      ...process.env,
      ...environmentOf(pod),
      CASSANDRA_USERNAME: cassandraUser.username,
      CASSANDRA_PASSWORD: cassandraUser.password,
      LOOPWATCH_JAEGER_UI_CONFIG: path.join(folder, 'ui.js'),
      // A restarted one must be where the gateway looks for it.
      LOOPWATCH_JAEGER_OTLP_ENDPOINT: jaegerEndpoint,
      LOOPWATCH_JAEGER_QUERY_ENDPOINT: `127.0.0.1:${ports.jaegerQuery}`,
      LOOPWATCH_JAEGER_QUERY_GRPC_ENDPOINT: `127.0.0.1:${ports.jaegerQueryGrpc}`,
      LOOPWATCH_JAEGER_HEALTH_ENDPOINT: `127.0.0.1:${ports.jaegerHealth}`,
    },
  });
  const isReady = async () => (await fetch(`http://127.0.0.1:${ports.jaegerHealth}/status`)).ok;
  await eventually('Jaeger is ready', isReady, (ready) => ready, { withinMs: 120_000, everyMs: 500 });
  return {
    api: new Jaeger(`http://127.0.0.1:${ports.jaegerQuery}`),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** The default of Jaeger in the project, which is free in the namespace of this test. */
const jaegerEndpoint = '127.0.0.1:14317';

async function startCollectors(): Promise<void> {
  clusterApi = await startClusterApi(directory);
  stops.push(() => {
    clusterApi.stop();
  });
  const configOf = (name: string) => find(manifests, 'ConfigMap', name).data!['config.yaml']!;
  const environment = (owner: string) => environmentOf(podsOf(manifests).find((each) => each.owner === owner)!.pod);
  const collector = binaries['otelcol']!;
  gateway = await startCollector(collector, configOf('lw-gateway'), path.join(directory, 'gateway'), {
    ...environment('StatefulSet lw-gateway'),
    LOOPWATCH_JAEGER_OTLP_ENDPOINT: jaegerEndpoint,
  });
  stops.push(() => gateway.stop());
  const agentConfig = configOf('lw-agent')
    .replace(/endpoint: lw-gateway\S+:4317/, `endpoint: ${gateway.otlpGrpc}`)
    .replace(/endpoint: lw-gateway\S+:4319/, 'endpoint: 127.0.0.1:4319')
    // The token is a file that Kubernetes mounts into a pod.
    .replace('auth_type: serviceAccount', 'auth_type: kubeConfig');
  agent = await startCollector(collector, agentConfig, path.join(directory, 'agent'), {
    ...environment('DaemonSet lw-agent'),
    KUBECONFIG: clusterApi.kubeConfig,
  });
  stops.push(() => agent.stop());
}
