import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { NodeMajor } from '@loopwatch/node-binaries';
import { combinationPerMajor, consumerOf } from '@loopwatch/test-support';

import { BASELINE, controlOf, servers as allServers } from './catalogue.ts';
import { describeMachine, loadAverage, versionsOf } from './machine.ts';
import { measureIdle } from './parts/measure-idle.ts';
import { measureLoad } from './parts/load/measure-load.ts';
import { measureLoading } from './parts/measure-loading.ts';
import { measureMicro, summarizeMicro } from './parts/measure-micro.ts';
import { measureProbes } from './parts/measure-probes.ts';
import { measureQuestions } from './parts/measure-questions.ts';
import { measureSaturated } from './parts/measure-saturated.ts';
import { measureShedders } from './parts/measure-shedders.ts';
import { measureSpans } from './parts/measure-spans.ts';
import { measureThreads } from './parts/measure-threads.ts';
import type { BenchOptions } from './options.ts';
import { measurePaired } from './parts/paired/measure-paired.ts';
import { summarizePaired } from './parts/paired/summarize-paired.ts';
import type { PairedSummary } from './parts/paired/summarize-paired.ts';
import { measureQuality } from './parts/quality/measure-quality.ts';
import { seededRandom } from './statistics/random.ts';
import type { BenchResult, MeasuredName } from './result.ts';
import type { Platform } from './subject/subject.ts';
import { summarizeLoad } from './parts/load/summarize-load.ts';
import type { LoadSummary } from './parts/load/summarize-load.ts';

/** Runs the chosen parts on one Node major. */
export async function runBenchmarks(
  nodeMajor: NodeMajor,
  options: BenchOptions,
  onProgress: (text: string) => void,
): Promise<BenchResult> {
  const { peers, parts, seed } = options;
  const platform = await preparePlatform(nodeMajor);
  const random = seededRandom(seed);
  const loadBefore = loadAverage();
  const startedAt = performance.now();
  const measured: { -readonly [Name in MeasuredName]?: NonNullable<BenchResult[Name]> } = {};
  if (parts.includes('load')) measured.load = await runLoad(platform, options, random, onProgress);
  if (parts.includes('paired')) measured.paired = await runPaired(platform, options, random, onProgress);
  if (parts.includes('micro')) {
    onProgress('awaits and loop iterations');
    measured.micro = summarizeMicro(peers, await measureMicro(platform, peers, options.micro, random));
  }
  if (parts.includes('spans')) measured.spans = await measureSpans(platform, options.spans, onProgress);
  if (parts.includes('shedders')) {
    onProgress('shedders');
    measured.shedders = await measureShedders(platform, options.shedders);
  }
  if (parts.includes('probes')) {
    onProgress('probes');
    measured.probes = await measureProbes(platform, options.probes);
  }
  if (parts.includes('idle')) {
    onProgress(`idle servers, ${(options.idle.settleMs + options.idle.measuredMs) / 1e3} s`);
    measured.idlePercent = await measureIdle(platform, allServers[0]!, peers, options.idle, random);
  }
  if (parts.includes('saturated')) {
    measured.saturated = await measureSaturated(platform, peers, options.saturated, random, onProgress);
  }
  if (parts.includes('questions')) {
    measured.questions = await measureQuestions(platform, options.questions, random, onProgress);
  }
  if (parts.includes('loading')) {
    measured.loading = await measureLoading(platform, options.loading, random, onProgress);
  }
  if (parts.includes('threads')) measured.threads = await measureThreads(platform, options.threads, onProgress);
  if (parts.includes('quality')) measured.quality = await measureQuality(platform, peers, options.quality, onProgress);
  const minutes = (performance.now() - startedAt) / 60_000;
  return {
    minutes,
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(nodeMajor),
    sdkVersion: sdkVersionOf(platform),
    versions: versionsOf(peers),
    loadAverage: { before: loadBefore, after: loadAverage() },
    settings: { rounds: options.load.rounds, passes: options.load.passes, connections: options.load.connections, seed },
    ...measured,
  };
}

async function preparePlatform(nodeMajor: NodeMajor): Promise<Platform> {
  const combination = combinationPerMajor.find((candidate) => candidate.nodeMajor === nodeMajor)!;
  const { directory } = await consumerOf(combination.sdk);
  return { nodeMajor, consumerDirectory: directory };
}

function sdkVersionOf({ consumerDirectory }: Platform): string {
  const manifest = path.join(consumerDirectory, 'node_modules/@opentelemetry/sdk-metrics/package.json');
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

async function runLoad(
  platform: Platform,
  { peers, servers, load }: BenchOptions,
  random: () => number,
  onProgress: (text: string) => void,
): Promise<Record<string, Record<string, LoadSummary>>> {
  const summaries: Record<string, Record<string, LoadSummary>> = {};
  for (const server of servers) {
    const rounds = await measureLoad(platform, server, peers, load, random, onProgress);
    summaries[server.name] = Object.fromEntries(
      peers.map((peer) => [peer.name, summarizeLoad(rounds, peer.name, BASELINE, controlOf(peer))]),
    );
  }
  return summaries;
}

async function runPaired(
  platform: Platform,
  { servers, paired }: BenchOptions,
  random: () => number,
  onProgress: (text: string) => void,
): Promise<Record<string, PairedSummary>> {
  const summaries: Record<string, PairedSummary> = {};
  for (const server of servers) {
    const trials = await measurePaired(platform, server, paired, random, onProgress);
    summaries[server.name] = summarizePaired(trials, server.batchRequests);
  }
  return summaries;
}
