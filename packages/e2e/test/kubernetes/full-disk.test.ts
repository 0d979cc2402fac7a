import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { lostInQueue, records } from '@loopwatch/dashboards';

import { eventually } from '../../src/eventually.ts';
import { bringUpLoopback } from '../../src/kubernetes/network.ts';
import { LossStream } from '../../src/services/loss-stream.ts';
import { SpanFlood } from '../../src/services/span-flood.ts';
import { SyntheticService } from '../../src/services/synthetic-service.ts';
import { TestStack } from '../../src/test-stack.ts';

// A real collector, Jaeger and Prometheus on this machine; the queues of the collector are on a file system of their own.

const smallMiB = 24;
/** Room for ten minutes of blocks. */
const largeMiB = 96;
/** What the chart gives the queues, as a share of the volume. */
const shares = { TRACES: 0.2, BLOCKS: 0.1, METRICS: 0.08 };
const unlimited = { TRACES: 100, BLOCKS: 100, METRICS: 100 };
const outageMs = 600_000;
const patient = { withinMs: 300_000, everyMs: 2000 };
let stack: TestStack;
let disk: string;

beforeAll(() => {
  bringUpLoopback();
});

afterEach(async () => {
  await stack.stop();
  execFileSync('umount', [disk]);
});

test('queues that are full leave room on the disk, lose nothing that must survive, and raise alerts', async () => {
  await startWithQueues('full-queues', shares);
  const stream = new LossStream(new SyntheticService(stack.otlpUrl, 'full-queues'));
  const flood = new SpanFlood(new SyntheticService(stack.otlpUrl, 'flood'));
  await stack.killProgram('jaeger');
  await firing('TelemetryLost', 'otlp_grpc/jaeger');
  // The queue of the blocks is full too when the collector refuses them.
  await eventually(
    'blocks are refused',
    () => Promise.resolve(flood.refusedCount),
    (count) => count > 0,
    patient,
  );
  await firing('TelemetryRefused');
  await firing('TelemetryQueueFilling', 'otlp_grpc/jaeger_blocks');
  expect(freeMiB()).toBeGreaterThan(0);
  await flood.stop();
  await stack.startProgram('jaeger');
  await expectNothingLost(stream, flood);
});

test('a disk that is full makes the collector refuse blocks, and raises alerts', async () => {
  await startWithQueues('full-disk', unlimited);
  const stream = new LossStream(new SyntheticService(stack.otlpUrl, 'full-disk'));
  const flood = new SpanFlood(new SyntheticService(stack.otlpUrl, 'flood'));
  await stack.killProgram('jaeger');
  await eventually(
    'the disk is full and blocks are refused',
    () => Promise.resolve(stream.refusedHangs),
    (count) => count > 0,
    patient,
  );
  await firing('TelemetryLost', 'otlp_grpc/jaeger');
  await firing('TelemetryRefused');
  await flood.stop();
  await stack.startProgram('jaeger');
  await stream.stop();
  const isEmpty = 'max_over_time(otelcol_exporter_queue_size{exporter="otlp_grpc/jaeger_blocks"}[20s]) == 0';
  await eventually(
    'the queue of the blocks is empty',
    () => stack.prometheus.query(isEmpty),
    (samples) => samples.length > 0,
    patient,
  );
  // What the collector cannot write down about its queue when it takes from it, it may lose: docs/evidence/pipeline.md.
  const { blocks, hangs, points } = await stream.missingIn(stack.jaeger, stack.prometheus);
  const ofFlood = await flood.missingBlocksIn(stack.jaeger);
  process.stderr.write(`${stream.describe()}; lost ${blocks}, ${hangs}, ${points}, of the flood ${ofFlood}\n`);
  expect(blocks / stream.blocks.length).toBeLessThan(0.1);
  // What it loses so, however much that is, is in the difference that TelemetryLostInQueue reads.
  await eventually(
    `the metrics show ${blocks + hangs + ofFlood} lost blocks and hangs, and ${points} points`,
    async () => [await inQueue('otlp_grpc/jaeger_blocks'), await inQueue('otlp_http/prometheus')],
    ([spans, values]) => spans! >= blocks + hangs + ofFlood && values! >= points,
    patient,
  );
});

test('ten minutes without Jaeger and Prometheus lose nothing that must survive', async () => {
  await startWithQueues('outage', shares, largeMiB);
  const stream = new LossStream(new SyntheticService(stack.otlpUrl, 'outage'));
  await sleep(5000);
  await stack.killProgram('jaeger');
  await stack.killProgram('prometheus');
  await sleep(outageMs);
  await stack.startProgram('prometheus');
  await stack.startProgram('jaeger');
  await sleep(5000);
  await expectNothingLost(stream);
  expect(stream.blocks.length).toBeGreaterThan(1000);
  // A sample can be taken while an entry comes into the queue, so not each one is 0.
  const lost = await eventually(
    'the metrics show no loss in a queue',
    () => stack.prometheus.query(records.lostInQueue),
    (samples) => samples.length === 3 && samples.every(({ value }) => value === 0),
    patient,
  );
  expect(lost.map(({ metric }) => metric['exporter']).toSorted()).toEqual([
    'otlp_grpc/jaeger',
    'otlp_grpc/jaeger_blocks',
    'otlp_http/prometheus',
  ]);
  const alerts = (await stack.prometheus.alerts()).map(({ labels }) => labels['alertname']);
  expect(alerts).not.toContain('TelemetryLostInQueue');
}, 1_200_000);

async function startWithQueues(
  name: string,
  share: Readonly<Record<string, number>>,
  diskMiB = smallMiB,
): Promise<void> {
  disk = path.join(process.env['LOOPWATCH_CLUSTER_DIRECTORY']!, name);
  mkdirSync(disk);
  execFileSync('mount', ['--types=tmpfs', `--options=size=${diskMiB}m`, 'tmpfs', disk]);
  const environment: Record<string, string> = { LOOPWATCH_COLLECTOR_STORAGE_DIR: disk };
  for (const [queue, part] of Object.entries(share)) {
    environment[`LOOPWATCH_COLLECTOR_${queue}_QUEUE_BYTES`] = String(Math.floor(diskMiB * 2 ** 20 * part));
  }
  stack = await TestStack.start(environment);
}

function freeMiB(): number {
  const { bavail, bsize } = statfsSync(disk);
  return (bavail * bsize) / 2 ** 20;
}

/** Spans or points that went into the queue of an exporter and did not come out; not a number while it is not empty. */
async function inQueue(exporter: string): Promise<number> {
  const samples = await stack.prometheus.query(lostInQueue());
  return samples.find(({ metric }) => metric['exporter'] === exporter)?.value ?? NaN;
}

async function firing(alert: string, exporter?: string): Promise<void> {
  await eventually(
    `${alert} fires`,
    () => stack.prometheus.alerts(),
    (alerts) =>
      alerts.some(
        ({ labels, state }) =>
          labels['alertname'] === alert &&
          state === 'firing' &&
          (exporter === undefined || labels['exporter'] === exporter),
      ),
    patient,
  );
}

async function expectNothingLost(stream: LossStream, flood?: SpanFlood): Promise<void> {
  await stream.stop();
  await eventually(
    `nothing is missing of what was accepted: ${stream.describe()}`,
    () => stream.missingIn(stack.jaeger, stack.prometheus),
    ({ blocks, hangs, points }) => blocks + hangs + points === 0,
    patient,
  );
  if (flood) {
    await eventually(
      `none of ${flood.acceptedBlocks.length} accepted blocks of the flood is missing`,
      () => flood.missingBlocksIn(stack.jaeger),
      (missing) => missing === 0,
      patient,
    );
  }
  process.stderr.write(`${stream.describe()}; nothing of it lost; ${freeMiB().toFixed(1)} MiB free\n`);
}
