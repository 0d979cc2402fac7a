import { setTimeout as sleep } from 'node:timers/promises';

import type { Peer, Server } from './catalogue.ts';
import { MeasuredServer } from './measured-server.ts';
import { shuffled } from './random.ts';
import { Subject } from './subject.ts';
import type { Platform } from './subject.ts';

/** Share of one core that each peer's server uses without requests, in percent; the baseline's own is in it. */
export async function measureIdle(
  platform: Platform,
  server: Server,
  peers: readonly Peer[],
  idleMs: number,
  random: () => number,
): Promise<Record<string, number>> {
  const running: [string, MeasuredServer][] = [];
  try {
    for (const { name } of shuffled(peers, random)) {
      const measured = await MeasuredServer.start(platform, name, server, {
        connections: 1,
        timeoutMs: 120_000 + idleMs,
      });
      running.push([name, measured]);
      await measured.load({ requests: 50, maxMs: 1000 });
    }
    await sleep(Math.min(2000, idleMs)); // timers of the start, and the last of the requests
    const before = new Map<string, { readonly at: number; readonly cpu: number }>();
    for (const [name, measured] of running) {
      before.set(name, { cpu: (await measured.usage()).cpuMicroseconds, at: performance.now() });
    }
    await sleep(idleMs);
    const percents: Record<string, number> = {};
    for (const [name, measured] of running) {
      const start = before.get(name)!;
      const at = performance.now();
      const { cpuMicroseconds } = await measured.usage();
      percents[name] = ((cpuMicroseconds - start.cpu) / 1e3 / (at - start.at)) * 100;
    }
    return percents;
  } finally {
    await Promise.all(running.map(([, measured]) => measured.stop()));
  }
}

/** CPU time of one await and of one turn of the loop. */
export interface MicroResult {
  readonly awaitNanoseconds: number;
  readonly turnNanoseconds: number;
}

/** One result a peer and round, in shuffled order. */
export async function measureMicro(
  platform: Platform,
  peers: readonly Peer[],
  { rounds, measuredMs }: { readonly rounds: number; readonly measuredMs: number },
  random: () => number,
): Promise<Record<string, MicroResult>[]> {
  const results: Record<string, MicroResult>[] = [];
  for (let round = 0; round < rounds; round++) {
    const result: Record<string, MicroResult> = {};
    for (const { name } of shuffled(peers, random)) {
      const subject = new Subject(platform, {
        program: 'promise-loop.cjs',
        args: [name],
        env: { BENCH_MICRO_MS: String(measuredMs) },
        timeoutMs: 60_000,
      });
      result[name] = await subject.nextMessage<MicroResult>();
      await subject.stop();
    }
    results.push(result);
  }
  return results;
}
