import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { nodeBinary } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';
import { quantile } from '@loopwatch/test-support';
import { freePorts } from '@loopwatch/test-support/free-port';

import { subjectsDirectory } from '../../paths.ts';
import { Child } from '../../process/child.ts';
import { ask } from './ask.ts';

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface Latencies {
  readonly requests: number;
  readonly livez: Latency;
  /** A bare server of node:net in a worker thread of the same process, asked in turn: what the machine allows. */
  readonly bare: Latency;
  /** Of the machine in the last minute, at the end. Each core can serve one. */
  readonly loadAverage: number;
}

export interface LatencyResult {
  readonly nodeMajor: NodeMajor;
  readonly seconds: number;
  readonly idle: Latencies;
  readonly blocked: Latencies;
}

const PAUSE_MS = 15;
/** The block has begun, and has not ended yet. */
const MARGIN_MS = 500;

/** Asks `/livez` and a bare server alternately, in random order: of an idle process, and while one is blocked. */
export async function measureLatency(major: NodeMajor, seconds: number, random: () => number): Promise<LatencyResult> {
  return {
    nodeMajor: major,
    seconds,
    idle: await measureWhile(major, seconds, false, random),
    blocked: await measureWhile(major, seconds, true, random),
  };
}

async function measureWhile(
  major: NodeMajor,
  seconds: number,
  isBlocked: boolean,
  random: () => number,
): Promise<Latencies> {
  // The bare server has the next one.
  const [port = 0] = await freePorts(2);
  const subject = path.join(subjectsDirectory, 'liveness.cjs');
  const args = [subject, 'both', String(port), ...(isBlocked ? [String(seconds)] : [])];
  await using target = new Child(nodeBinary(major), args);
  await target.waitFor(/ready\n/);
  await sleep(MARGIN_MS);
  const until = performance.now() + seconds * 1000 - 2 * MARGIN_MS;
  const times = { livez: [] as number[], bare: [] as number[] };
  while (performance.now() < until) {
    for (const server of random() < 0.5 ? (['livez', 'bare'] as const) : (['bare', 'livez'] as const)) {
      times[server].push(await ask(server === 'livez' ? port : port + 1));
    }
    await sleep(PAUSE_MS);
  }
  return {
    requests: times.livez.length,
    livez: latencyOf(times.livez),
    bare: latencyOf(times.bare),
    loadAverage: os.loadavg()[0] ?? 0,
  };
}

function latencyOf(times: readonly number[]): Latency {
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), maxMs: quantile(times, 1) };
}
