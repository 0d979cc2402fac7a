import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { cpuQuotas } from '@loopwatch/test-support';

import { startCollector } from '../chart/collector.ts';
import { BlockStream } from '../services/block-stream.ts';
import { SyntheticService } from '../services/synthetic-service.ts';
import { blocksIn } from './sink.ts';
import type { Subject } from './subjects.ts';

export type Signal = 'traces' | 'metrics';

export interface LoadSettings {
  /** Until queues, caches and the heap have their size. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** What a collector took in the measured time. */
export interface LoadResult {
  /** Spans, or points of metrics. */
  readonly accepted: number;
  readonly refused: number;
  /** Items that the exporters could not put into their queues. */
  readonly failed: number;
  readonly seconds: number;
  /** CPU time, s. */
  readonly cpuSeconds: number;
  /** Largest resident memory, MiB. */
  readonly memoryMib: number;
  /** Of a process that sends a block every 100 ms beside the load, until the end; for the gateway only. */
  readonly blocks?: BlockResult;
}

export interface BlockResult {
  readonly accepted: number;
  /** Not accepted within 10 s. */
  readonly refused: number;
  readonly lost: number;
}

/** Makes sure that a process ends with this one. */
export type Guard = (pid: number) => void;

export interface LoadRun {
  readonly collector: string;
  readonly telemetrygen: string;
  /** Port of the collector's own metrics. */
  readonly telemetryPort: number;
  /** What the sink writes. */
  readonly blocksFile: string;
  readonly guard: Guard;
  /** Ends the measurement early: it then throws. */
  readonly signal: AbortSignal;
}

/** What is measured: a share of a core is a quota, as by a CPU limit. On two cores, only a small one is kept busy. */
export const cases = [
  { subject: 'gateway', signal: 'traces', share: 1 },
  { subject: 'gateway', signal: 'traces', share: 0.2 },
  { subject: 'agent', signal: 'traces', share: 0.2 },
  { subject: 'bare', signal: 'traces', share: 0.2 },
  { subject: 'gateway', signal: 'metrics', share: 0.2 },
  { subject: 'agent', signal: 'metrics', share: 0.2 },
  { subject: 'bare', signal: 'metrics', share: 0.2 },
] as const satisfies readonly { subject: Subject['name']; signal: Signal; share: number }[];
export type Case = (typeof cases)[number];

const SUBJECT_CORE = '0';
export const OTHER_CORES = `1-${os.availableParallelism() - 1}`;
/** One sends a few thousand items a second, however often it is asked to, and uses little CPU. */
const GENERATORS = 16;
const GENERATOR_ARGUMENTS = ['--workers', '1', '--rate', '5000', '--batch-size', '512'];
const SIGNAL_ARGUMENTS: Readonly<Record<Signal, readonly string[]>> = {
  traces: ['--child-spans', '9', '--span-duration', '2ms'],
  metrics: ['--metric-type', 'Histogram'],
};
const ITEMS: Readonly<Record<Signal, string>> = { traces: 'spans', metrics: 'metric_points' };

/** Starts a collector with a share of one core, sends as much to it as it takes, and counts by its own metrics. */
export async function measureLoad(
  { collector, telemetrygen, telemetryPort, blocksFile, guard, signal: ended }: LoadRun,
  { name, config, environment }: Subject,
  { signal, share }: Case,
  directory: string,
  { warmUpSeconds, seconds }: LoadSettings,
): Promise<LoadResult> {
  const [quota] = cpuQuotas();
  if (!quota) throw new Error('Expected a machine on which a group of processes (cgroup) with a quota can be made.');
  await using group = quota.make();
  const running = await startCollector(
    collector,
    config,
    path.join(directory, `${name}-${signal}-${share}`),
    { ...environment, GOMAXPROCS: '1' },
    ['taskset', '--cpu-list', SUBJECT_CORE],
    guard,
  );
  group.throttle(running.pid, share);
  const generators = Array.from({ length: GENERATORS }, () => {
    const generator = spawn(
      'taskset',
      [
        ...['--cpu-list', OTHER_CORES, telemetrygen, signal, '--otlp-insecure', '--otlp-endpoint', running.otlpGrpc],
        ...['--allow-export-failures', '--duration', `${warmUpSeconds + seconds + 10}s`],
        ...GENERATOR_ARGUMENTS,
        ...SIGNAL_ARGUMENTS[signal],
      ],
      { stdio: 'ignore' },
    );
    guard(generator.pid!);
    return generator;
  });
  const withBlocks = name === 'gateway' && signal === 'traces';
  const blocks = withBlocks ? new BlockStream(new SyntheticService(running.otlpUrl, 'blocks')) : undefined;
  const stopGenerators = async (): Promise<void> => {
    for (const generator of generators) {
      generator.kill('SIGKILL');
      if (generator.exitCode === null && generator.signalCode === null) await once(generator, 'exit');
    }
  };
  try {
    await sleep(warmUpSeconds * 1000, undefined, { signal: ended });
    const before = await countsOf(telemetryPort, signal);
    const cpuBefore = cpuSecondsOf(running.pid);
    const startedAt = performance.now();
    await sleep(seconds * 1000, undefined, { signal: ended });
    const after = await countsOf(telemetryPort, signal);
    const stopped = generators.find(({ exitCode }) => exitCode !== null);
    if (stopped) throw new Error(`Expected telemetrygen to go on, got exit code ${stopped.exitCode}.`);
    const result = {
      accepted: after.accepted - before.accepted,
      refused: after.refused - before.refused,
      failed: after.failed - before.failed,
      seconds: (performance.now() - startedAt) / 1000,
      cpuSeconds: cpuSecondsOf(running.pid) - cpuBefore,
      memoryMib: memoryMibOf(running.pid),
    };
    if (!blocks) return result;
    await stopGenerators();
    group.throttle(running.pid, 1);
    return { ...result, blocks: await outcomeOf(blocks, blocksFile, ended) };
  } finally {
    await stopGenerators();
    await blocks?.stop();
    await running.stop();
  }
}

/** Waits until the queue is empty, at most a minute. */
async function outcomeOf(blocks: BlockStream, blocksFile: string, signal: AbortSignal): Promise<BlockResult> {
  await blocks.stop();
  const deadlineMs = performance.now() + 60_000;
  const lost = (): number => {
    const arrived = blocksIn(blocksFile);
    return blocks.accepted.filter(({ spanId }) => !arrived.has(spanId)).length;
  };
  while (lost() > 0 && performance.now() < deadlineMs) await sleep(1000, undefined, { signal });
  return { accepted: blocks.accepted.length, refused: blocks.refusedCount, lost: lost() };
}

async function countsOf(port: number, signal: Signal): Promise<Pick<LoadResult, 'accepted' | 'refused' | 'failed'>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const item = ITEMS[signal];
  const sum = (name: string): number =>
    [...text.matchAll(new RegExp(`^otelcol_${name}_${item}(?:_total)?(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  return {
    accepted: sum('receiver_accepted'),
    refused: sum('receiver_refused'),
    failed: sum('exporter_enqueue_failed'),
  };
}

/** USER_HZ of Linux. */
const TICKS_PER_SECOND = 100;

function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function memoryMibOf(pid: number): number {
  const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}
