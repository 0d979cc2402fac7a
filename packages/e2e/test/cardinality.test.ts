import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { costOf, metrics, records, typicalFleet, type Fleet, type Storage } from '@loopwatch/dashboards';

import { ensureBuilt } from '../../../scripts/stack/build.mjs';
import { collectorPart, helmPart } from '../../../scripts/stack/parts.mjs';
import { startCollector, type RunningCollector } from '../src/chart/collector.ts';
import { environmentOf, podsOf } from '../src/chart/pods.ts';
import { find, render } from '../src/chart/render.ts';
import { eventually } from '../src/eventually.ts';
import { fleet, functions, simulate } from '../src/services/simulated-fleet.ts';
import { SyntheticService } from '../src/services/synthetic-service.ts';
import { TestStack } from '../src/test-stack.ts';

test('10,000 processes of 50 services have at most 150,000 series in the mode fleet with native histograms', () => {
  const large: Fleet = { ...typicalFleet, processes: 10_000, services: 50 };
  expect(costOf(large, { mode: 'fleet', histograms: 'native', lagBoundaries: 15 }).series).toBeLessThanOrEqual(150_000);
});

describe.each<Storage>([
  { mode: 'instance', histograms: 'classic', lagBoundaries: 15 },
  { mode: 'fleet', histograms: 'classic', lagBoundaries: 4 },
  { mode: 'fleet', histograms: 'native', lagBoundaries: 15 },
])('200 processes of 10 services, in the mode $mode with $histograms histograms', (storage) => {
  let directory: string;
  let stack: TestStack;
  let gateway: RunningCollector | undefined;

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-cardinality-'));
    const log = (line: string) => void process.stderr.write(`${line}\n`);
    const binaries = await ensureBuilt([helmPart, collectorPart], log);
    stack = await TestStack.start();
    const prometheus = `${stack.prometheus.url}/api/v1/otlp`;
    const manifests = render(
      binaries['helm']!,
      'small',
      `cardinality.mode=${storage.mode}`,
      `metrics.endpoint=${prometheus}`,
      ...(storage.lagBoundaries === 4 ? ['cardinality.lagBoundaries=[0.1,0.25,1,10]'] : []),
    );
    const { pod } = podsOf(manifests).find(({ owner }) => owner === 'StatefulSet lw-gateway')!;
    const config = find(manifests, 'ConfigMap', 'lw-gateway').data!['config.yaml']!;
    gateway = await startCollector(binaries['otelcol']!, config, directory, {
      ...environmentOf(pod),
      LOOPWATCH_COLLECTOR_METRICS_INTERVAL: '1s',
    });
    await simulate(gateway.otlpUrl, storage);
  }, 1_800_000);

  afterAll(async () => {
    await gateway?.stop();
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test('has the number of series that the model says', async () => {
    // The rule that counts the series is not one of the fleet's, and is evaluated once a minute.
    const series = (pattern: string) =>
      stack.prometheus.sum(`count({__name__=~"${pattern}",__name__!="${records.series}"})`);
    const expected = costOf(fleet, storage);
    const measured = async () => ({
      ofApplications: await series('event_loop_.+|libuv_.+|traces_span_metrics_.+'),
      ofRules: await series('[a-z_]+:(event_loop|libuv)_.+'),
    });
    const wanted = { ofApplications: expected.ofProcesses + expected.ofServices, ofRules: expected.ofRules };
    const isWanted = (counts: typeof wanted) => JSON.stringify(counts) === JSON.stringify(wanted);
    const counts = await eventually('all series are there', measured, isWanted, { withinMs: 180_000 }).catch(measured);
    expect(counts).toEqual(wanted);
  });

  test('counts every block once, and knows the function for each service and version', async () => {
    // An application with exponential histograms has a classic one of its blocks too, without buckets, in the mode fleet.
    // A series of several processes is there as soon as one of them has arrived.
    const total = () => stack.prometheus.sum(`sum(${metrics.blockedDuration}_count)`);
    const all = fleet.processes * functions.length;
    await eventually(`all ${all} blocks of the processes are there`, total, (count) => count === all);
    // The rule has a value of each of its series as soon as one process of a version has arrived: it may be evaluated
    // once more before it has counted all of them.
    const ofVersions = async () => {
      const culprits = await stack.prometheus.query('culprit:event_loop_blocks:sum{code_function_name!=""}');
      return culprits.map(({ value }) => value);
    };
    const counts = fleet.services * fleet.versions * functions.length;
    const wanted = new Array<number | undefined>(counts).fill(fleet.processes / fleet.services / fleet.versions);
    const areWanted = (values: typeof wanted) => values.join() === wanted.join();
    const found = await eventually('all blocks are counted', ofVersions, areWanted, { withinMs: 90_000 }).catch(
      ofVersions,
    );
    expect(found).toEqual(wanted);
  });

  // Last: the model counts none of these.
  test('has the waits of a process whose pool was full', async () => {
    const process = new SyntheticService(gateway!.otlpUrl, 'service-0', storage.histograms);
    process.recordPoolWaits([0, 0, 2]);
    await process.exportMetrics();
    const waits = `${metrics.poolQueueWait}${storage.histograms === 'classic' ? '_count' : ''}`;
    const ofProcess = `count(${waits}{service_instance_id="${process.instanceId}"})`;
    const count = () => stack.prometheus.sum(ofProcess);
    expect(await eventually('its waits are there', count, (found) => found > 0)).toBe(1);
  });
});
