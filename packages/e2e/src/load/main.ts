// node packages/e2e/src/load/main.ts [--rounds N] [--seconds N] [--write]
//
// How much one core of an agent, of a gateway and of a collector without our pipelines takes. `--write` regenerates
// docs/pipeline-load.md. However it ends, reaper.mjs ends what it has started.
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { rootDirectory } from '../../../../scripts/lib/paths.mjs';
import { ensureBuilt } from '../../../../scripts/stack/build.mjs';
import { helmPart, kubernetesCollectorPart, telemetrygenPart } from '../../../../scripts/stack/parts.mjs';
import { freePorts } from '../../../../scripts/stack/ports.mjs';
import { startCollector } from '../chart/collector.ts';
import { startClusterApi } from './cluster-api.ts';
import { loadDocument, type Measured } from './document.ts';
import { cases, measureLoad, OTHER_CORES, type Guard } from './measure.ts';
import { sinkConfig } from './sink.ts';
import { subjectsOf } from './subjects.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '20' },
      write: { type: 'boolean', default: false },
    },
  });
  const rounds = positiveInteger('--rounds', values.rounds);
  const settings = { warmUpSeconds: 15, seconds: positiveInteger('--seconds', values.seconds) };
  if (os.availableParallelism() < 2) throw new Error('Expected two cores: one for the collector, one for its load.');
  const binaries = await ensureBuilt([helmPart, kubernetesCollectorPart, telemetrygenPart], showProgress);
  const collector = binaries['otelcol-kubernetes']!;
  const directory = mkdtempSync(path.join(os.tmpdir(), 'loopwatch-load-'));
  const { prometheus: telemetryPort } = await freePorts();
  const reaper = spawn(process.execPath, [path.join(import.meta.dirname, '../reaper.mjs'), directory], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  const guard: Guard = (pid) => void reaper.stdin.write(`${pid}\n`);
  const clusterApi = await startClusterApi(directory);
  const onOtherCores = ['taskset', '--cpu-list', OTHER_CORES];
  const blocksFile = path.join(directory, 'blocks.txt');
  const sink = await startCollector(collector, sinkConfig(blocksFile), path.join(directory, 'sink'), {}, onOtherCores);
  guard(sink.pid);
  const results: Measured[] = [];
  try {
    const backends = { traces: sink.otlpGrpc, metrics: sink.otlpUrl, kubeConfig: clusterApi.kubeConfig };
    const subjects = subjectsOf(binaries['helm']!, backends, telemetryPort);
    for (let round = 1; round <= rounds; round++) {
      for (const each of cases) {
        const subject = subjects.find(({ name }) => name === each.subject)!;
        const run = { collector, telemetrygen: binaries['telemetrygen']!, telemetryPort, blocksFile, guard };
        const result = await measureLoad(run, subject, each, `${directory}/${round}`, settings);
        showProgress(`round ${round}: ${JSON.stringify({ ...each, ...result })}`);
        results.push({ of: each, result });
      }
    }
  } finally {
    await sink.stop();
    clusterApi.stop();
    reaper.stdin.end('done\n');
  }
  const document = loadDocument(results, settings);
  console.log(document);
  if (values.write) writeFileSync(path.join(rootDirectory, 'docs/pipeline-load.md'), document);
}

function showProgress(line: string): void {
  console.error(line);
}

function positiveInteger(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`Expected a positive integer for ${name}, got ${text}.`);
  return value;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
