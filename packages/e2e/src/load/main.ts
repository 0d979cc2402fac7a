// node packages/e2e/src/load/main.ts [--rounds N] [--seconds N] [--add-to FILE] [--write]
//
// How much one core of an agent, of a gateway and of a collector without our pipelines takes. `--write` regenerates
// docs/evidence/pipeline-load.md. A round takes about seven minutes: `--add-to` keeps the results in a file and takes those that it has,
// for rounds that are measured one by one; with
// `--rounds 0` it only writes the page. Ended by a signal, it ends what it has started; reaper.mjs does where it cannot.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { rootDirectory } from '../../../../scripts/lib/paths.mjs';
import { ensureBuilt } from '../../../../scripts/stack/build.mjs';
import { collectorPart, helmPart, telemetrygenPart } from '../../../../scripts/stack/parts.mjs';
import { startCollector } from '../chart/collector.ts';
import { startClusterApi } from './cluster-api.ts';
import { loadDocument, machineLine, type Measured } from './document.ts';
import { cases, measureLoad, OTHER_CORES, type Guard, type LoadSettings } from './measure.ts';
import { sinkConfig } from './sink.ts';
import { subjectsOf } from './subjects.ts';
import { freeStackPorts } from '../stack-ports.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '20' },
      'add-to': { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const keptFile = values['add-to'];
  // Of results that are kept, the document can be written without another round.
  const rounds = integer('--rounds', values.rounds, keptFile === undefined ? 1 : 0);
  const settings = { warmUpSeconds: 15, seconds: integer('--seconds', values.seconds, 1) };
  if (os.availableParallelism() < 2) throw new Error('Expected two cores: one for the collector, one for its load.');
  const binaries = await ensureBuilt([helmPart, collectorPart, telemetrygenPart], showProgress);
  const collector = binaries['otelcol']!;
  const directory = mkdtempSync(path.join(os.tmpdir(), 'loopwatch-load-'));
  const { prometheus: telemetryPort } = await freeStackPorts();
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      ending.abort(new Error(`Ended by ${signal}.`));
    });
  }
  const reaper = spawn(process.execPath, [path.join(import.meta.dirname, '../reaper.mjs'), directory], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  const guard: Guard = (pid) => void reaper.stdin.write(`${pid}\n`);
  const clusterApi = await startClusterApi(directory);
  const onOtherCores = ['taskset', '--cpu-list', OTHER_CORES];
  const blocksFile = path.join(directory, 'blocks.txt');
  const sinkDirectory = path.join(directory, 'sink');
  const sink = await startCollector(collector, sinkConfig(blocksFile), sinkDirectory, {}, onOtherCores, guard);
  const kept = keptFile !== undefined && existsSync(keptFile) ? keptResults(keptFile, settings) : undefined;
  const results = kept?.results ?? [];
  try {
    const backends = { traces: sink.otlpGrpc, metrics: sink.otlpUrl, kubeConfig: clusterApi.kubeConfig };
    const subjects = subjectsOf(binaries['helm']!, backends, telemetryPort);
    for (let round = 1; round <= rounds; round++) {
      for (const each of cases) {
        const subject = subjects.find(({ name }) => name === each.subject)!;
        const { signal } = ending;
        const run = { collector, telemetrygen: binaries['telemetrygen']!, telemetryPort, blocksFile, guard, signal };
        const result = await measureLoad(run, subject, each, `${directory}/${round}`, settings);
        showProgress(`round ${round}: ${JSON.stringify({ ...each, ...result })}`);
        results.push({ of: each, result });
      }
      if (keptFile !== undefined)
        writeFileSync(keptFile, JSON.stringify({ settings, machine: machineLine(), results }));
    }
  } finally {
    await sink.stop();
    clusterApi.stop();
    reaper.stdin.end('done\n');
  }
  const machine = rounds === 0 && kept ? kept.machine : machineLine();
  const document = loadDocument(results, settings, machine);
  console.log(document);
  if (values.write) writeFileSync(path.join(rootDirectory, 'docs/evidence/pipeline-load.md'), document);
}

/** The cases are those of this program, by which the document finds them. */
function keptResults(file: string, settings: LoadSettings): { results: Measured[]; machine: string } {
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept;
  if (JSON.stringify(kept.settings) !== JSON.stringify(settings)) {
    throw new Error(
      `Expected results of ${JSON.stringify(settings)} in ${file}, got ${JSON.stringify(kept.settings)}.`,
    );
  }
  const results = kept.results.flatMap(({ of, result }) => {
    const found = cases.find((each) => JSON.stringify(each) === JSON.stringify(of));
    return found ? [{ of: found, result }] : [];
  });
  return { results, machine: kept.machine };
}

interface Kept {
  readonly settings: LoadSettings;
  /** Of the last round. */
  readonly machine: string;
  readonly results: readonly Measured[];
}

function showProgress(line: string): void {
  console.error(line);
}

function integer(name: string, text: string, lowest: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < lowest) {
    throw new Error(`Expected an integer of at least ${lowest} for ${name}, got ${text}.`);
  }
  return value;
}

main().catch((error: unknown) => {
  const reason = error instanceof Error && error.name === 'AbortError' ? error.cause : error;
  console.error(reason instanceof Error ? reason.message : reason);
  process.exitCode = 1;
});
