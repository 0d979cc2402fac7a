import { median, quantile } from '@loopwatch/test-support';

import type { Peer, Server } from '../../catalogue.ts';
import { MeasuredServer } from '../../subject/measured-server.ts';
import type { Window } from '../../subject/measured-server.ts';
import { shuffled } from '../../statistics/random.ts';
import type { Platform } from '../../subject/subject.ts';

export interface LoadSettings {
  /** Each round has fresh processes: code is optimised and memory laid out a little differently each time. */
  readonly rounds: number;
  /** Windows of each process in a round; in each pass, every peer has one. */
  readonly passes: number;
  readonly requestShare: number;
  /** So many windows' requests are sent before the first: by then V8 has optimised what it will. */
  readonly warmUpWindows: number;
  readonly connections: number;
  readonly maxWindowMs: number;
}

/** One peer in one round. */
export interface Cell {
  /** One value a pass. */
  readonly cpuMicrosecondsPerRequest: readonly number[];
  readonly p99Ms: number;
  readonly rssBytes: number;
  readonly readyMs: number;
}

export type Round = Readonly<Record<string, Cell>>;

/** Measures all peers under one server: A B C …, C A B …, … */
export async function measureLoad(
  platform: Platform,
  server: Server,
  peers: readonly Peer[],
  settings: LoadSettings,
  random: () => number,
  onProgress: (text: string) => void,
): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 1; round <= settings.rounds; round++) {
    rounds.push(
      await measureRound(platform, server, peers, settings, random, (text) => {
        onProgress(`${server.label}, round ${round} of ${settings.rounds}: ${text}`);
      }),
    );
  }
  return rounds;
}

async function measureRound(
  platform: Platform,
  server: Server,
  peers: readonly Peer[],
  settings: LoadSettings,
  random: () => number,
  onProgress: (text: string) => void,
): Promise<Round> {
  const running = new Map<string, MeasuredServer>();
  const windows = new Map<string, Window[]>(peers.map(({ name }) => [name, []]));
  const load = { requests: Math.ceil(server.requests * settings.requestShare), maxMs: settings.maxWindowMs };
  const timeoutMs = 60_000 + peers.length * (settings.passes + settings.warmUpWindows) * (settings.maxWindowMs + 1000);
  try {
    for (const { name } of shuffled(peers, random)) {
      onProgress(`starting ${name}`);
      const measured = await MeasuredServer.start(platform, name, server, {
        connections: settings.connections,
        timeoutMs,
      });
      running.set(name, measured);
      await measured.load({
        requests: load.requests * settings.warmUpWindows,
        maxMs: settings.maxWindowMs * settings.warmUpWindows,
      });
    }
    for (let pass = 1; pass <= settings.passes; pass++) {
      onProgress(`pass ${pass} of ${settings.passes}`);
      for (const { name } of shuffled(peers, random)) windows.get(name)!.push(await running.get(name)!.load(load));
    }
    return Object.fromEntries(peers.map(({ name }) => [name, cellOf(running.get(name)!, windows.get(name)!)]));
  } finally {
    await Promise.all([...running.values()].map((measured) => measured.stop()));
  }
}

function cellOf({ readyMs }: MeasuredServer, windows: readonly Window[]): Cell {
  return {
    cpuMicrosecondsPerRequest: windows.map(({ cpuMicrosecondsPerRequest }) => cpuMicrosecondsPerRequest),
    p99Ms: quantile(
      windows.flatMap(({ latenciesMs }) => latenciesMs),
      0.99,
    ),
    rssBytes: median(windows.map(({ rssBytes }) => rssBytes)),
    readyMs,
  };
}
