import { setTimeout as sleep } from 'node:timers/promises';

import type { Peer, Server } from '../catalogue.ts';
import { MeasuredServer } from '../subject/measured-server.ts';
import { shuffled } from '../statistics/random.ts';
import type { Platform } from '../subject/subject.ts';

export interface IdleSettings {
  /** Wait after the last request, in which V8 still cleans up. */
  readonly settleMs: number;
  readonly measuredMs: number;
}

/** CPU of each peer's server without requests, in percent of one core. The server's own share is included. */
export async function measureIdle(
  platform: Platform,
  server: Server,
  peers: readonly Peer[],
  { settleMs, measuredMs }: IdleSettings,
  random: () => number,
): Promise<Record<string, number>> {
  const running: [string, MeasuredServer][] = [];
  try {
    for (const { name } of shuffled(peers, random)) {
      const measured = await MeasuredServer.start(platform, name, server, {
        connections: 1,
        timeoutMs: 120_000 + settleMs + measuredMs,
      });
      running.push([name, measured]);
      await measured.load({ requests: 50, maxMs: 1000 });
    }
    await sleep(settleMs);
    const before = new Map<string, { readonly at: number; readonly cpu: number }>();
    for (const [name, measured] of running) {
      before.set(name, { cpu: (await measured.usage()).cpuMicroseconds, at: performance.now() });
    }
    await sleep(measuredMs);
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
