import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';

import { ensureBuilt } from '../../../scripts/stack/build.mjs';
import { collectorPart, helmPart } from '../../../scripts/stack/parts.mjs';
import { startCollector, type RunningCollector } from '../src/chart/collector.ts';
import { OtlpSink } from '../src/chart/otlp-sink.ts';
import { environmentOf, podsOf } from '../src/chart/pods.ts';
import { find, render } from '../src/chart/render.ts';
import { eventually } from '../src/eventually.ts';
import {
  newSpanId,
  SPAN_KIND_INTERNAL,
  SPAN_KIND_SERVER,
  SyntheticService,
  newTraceId,
} from '../src/services/synthetic-service.ts';

const gateways = 3;
const services = 20;
const tracesOfService = 10;
const sink = new OtlpSink();
let directory: string;
let agent: RunningCollector | undefined;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-routing-'));
  const binaries = await ensureBuilt(
    [helmPart, collectorPart],
    (line: string) => void process.stderr.write(`${line}\n`),
  );
  const manifests = render(binaries['helm']!, 'cassandra-mimir', `gateway.replicas=${gateways}`);
  const { pod } = podsOf(manifests).find(({ owner }) => owner === 'DaemonSet lw-agent')!;
  const config = find(manifests, 'ConfigMap', 'lw-agent').data!['config.yaml']!;
  agent = await startCollector(
    binaries['otelcol']!,
    withSink(config, await sink.start()),
    directory,
    environmentOf(pod),
  );
}, 1_800_000);

afterAll(async () => {
  await agent?.stop();
  sink.stop();
  rmSync(directory, { recursive: true, force: true });
});

test('static routing sends each trace to one gateway, counts each service in one, and loses and doubles no span', async () => {
  for (let service = 0; service < services; service++)
    await sendTraces(new SyntheticService(agent!.otlpUrl, `service-${service}`));
  const traces = services * tracesOfService;
  const of = (exporter: string) => sink.spans.filter((span) => span.exporter.startsWith(exporter));
  await eventually(
    'all spans have arrived',
    () => Promise.resolve(sink.spans.length),
    (count) => count >= traces * 3,
    { withinMs: 30_000 },
  );

  // Two spans in each trace, of which one is counted by span metrics.
  expect({ sampled: of('gateway_').length, counted: of('span_metrics_').length }).toEqual({
    sampled: traces * 2,
    counted: traces,
  });
  expect(placesOf(of('gateway_'), 'traceId')).toEqual({ keys: traces, gatewaysOfKey: 1, gateways });
  expect(placesOf(of('span_metrics_'), 'service')).toEqual({ keys: services, gatewaysOfKey: 1, gateways });
  expect(new Set(of('span_metrics_').map(({ name }) => name))).toEqual(new Set(['GET /report']));
});

/** How many values of a key there are, to how many gateways spans of one value went at most, and of all. */
function placesOf(spans: readonly (typeof sink.spans)[number][], key: 'traceId' | 'service') {
  const gatewaysOf = new Map<string, Set<string>>();
  for (const span of spans) {
    gatewaysOf.set(span[key], (gatewaysOf.get(span[key]) ?? new Set()).add(span.exporter));
  }
  const sets = [...gatewaysOf.values()];
  return {
    keys: sets.length,
    gatewaysOfKey: Math.max(...sets.map(({ size }) => size)),
    gateways: new Set(sets.flatMap((set) => [...set])).size,
  };
}

async function sendTraces(service: SyntheticService): Promise<void> {
  for (let index = 0; index < tracesOfService; index++) {
    const traceId = newTraceId();
    const request = newSpanId();
    const times = { startTimeMs: Date.now() - 10, endTimeMs: Date.now() };
    // In two requests, as an SDK does with a long trace.
    await service.sendSpans([{ traceId, spanId: request, name: 'GET /report', kind: SPAN_KIND_SERVER, ...times }]);
    await service.sendSpans([
      { traceId, spanId: newSpanId(), parentSpanId: request, name: 'query', kind: SPAN_KIND_INTERNAL, ...times },
    ]);
  }
}

/** The agent's configuration without the API of Kubernetes, and with the sink in place of each gateway. */
function withSink(text: string, url: string): string {
  const config = parse(text) as {
    processors: Record<string, unknown>;
    exporters: Record<string, object>;
    service: { telemetry: unknown; pipelines: Record<string, { processors?: string[]; exporters: string[] }> };
  };
  const renamed = (name: string) => name.replace('otlp_grpc/', 'otlp_http/');
  config.exporters = Object.fromEntries(
    Object.keys(config.exporters).map((name) => [
      renamed(name),
      { endpoint: `${url}/${name.split('/')[1]}`, encoding: 'json', compression: 'none' },
    ]),
  );
  delete config.processors['k8s_attributes'];
  for (const pipeline of Object.values(config.service.pipelines)) {
    pipeline.processors = (pipeline.processors ?? []).filter((name) => name !== 'k8s_attributes');
    pipeline.exporters = pipeline.exporters.map(renamed);
  }
  config.service.telemetry = { metrics: { level: 'none' } };
  return JSON.stringify(config);
}
