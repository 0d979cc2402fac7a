import path from 'node:path';

import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { costOf, type Storage } from '@loopwatch/dashboards';

import { ensureBuilt } from '../../../../scripts/stack/build.mjs';
import { collectorPart, helmPart, mimirPart } from '../../../../scripts/stack/parts.mjs';
import { documentedLimits, Mimir } from '../../src/backends/mimir.ts';
import { Prometheus } from '../../src/backends/prometheus.ts';
import { startCollector, type RunningCollector } from '../../src/chart/collector.ts';
import { environmentOf, podsOf } from '../../src/chart/pods.ts';
import { find, render } from '../../src/chart/render.ts';
import { eventually } from '../../src/eventually.ts';
import { bringUpLoopback } from '../../src/kubernetes/network.ts';
import { fleet, simulate } from '../../src/services/simulated-fleet.ts';
import { freeStackPorts } from '../../src/stack-ports.ts';

// What cardinality.test.ts counts in Prometheus, in Mimir: with the limits of docs/kubernetes.md, without our rules.

const directory = process.env['LOOPWATCH_CLUSTER_DIRECTORY']!;
let binaries: Readonly<Record<string, string>>;
let mimir: Mimir | undefined;
let gateway: RunningCollector | undefined;

beforeAll(async () => {
  binaries = await ensureBuilt([helmPart, collectorPart, mimirPart], () => undefined);
  bringUpLoopback();
}, 900_000);

afterEach(async () => {
  await gateway?.stop();
  await mimir?.stop();
  [gateway, mimir] = [undefined, undefined];
});

test.each<Storage>([
  { mode: 'instance', histograms: 'classic', lagBoundaries: 15 },
  { mode: 'fleet', histograms: 'native', lagBoundaries: 15 },
])(
  'Mimir has as many series of 200 processes as the model says, in the mode $mode with $histograms histograms',
  async (storage) => {
    const folder = path.join(directory, storage.mode);
    const { prometheus: http, jaegerQueryGrpc: grpc, jaegerHealth: gossip } = await freeStackPorts();
    mimir = await Mimir.start(binaries['mimir']!, folder, { http, grpc, gossip }, documentedLimits());
    const series = new Prometheus(`${mimir.url}/prometheus/`);
    const settings = [`cardinality.mode=${storage.mode}`, `metrics.endpoint=${mimir.url}/otlp`];
    const manifests = render(binaries['helm']!, 'small', ...settings);
    const { pod } = podsOf(manifests).find(({ owner }) => owner === 'StatefulSet lw-gateway')!;
    const config = find(manifests, 'ConfigMap', 'lw-gateway').data!['config.yaml']!;
    gateway = await startCollector(binaries['otelcol']!, config, path.join(folder, 'gateway'), {
      ...environmentOf(pod),
      LOOPWATCH_COLLECTOR_METRICS_INTERVAL: '1s',
    });
    await simulate(gateway.otlpUrl, storage);
    const { ofProcesses, ofServices } = costOf(fleet, storage);
    const measured = () => series.sum('count({__name__=~"event_loop_.+|libuv_.+|traces_span_metrics_.+"})');
    const isWanted = (count: number) => count === ofProcesses + ofServices;
    const count = await eventually('all series are there', measured, isWanted, { withinMs: 180_000 }).catch(measured);
    expect(count).toBe(ofProcesses + ofServices);
  },
  600_000,
);
