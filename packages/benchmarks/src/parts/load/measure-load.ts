import { median, quantile } from '@loopwatch/test-support';

import type { Peer, Server } from '../../catalogue.ts';
import { MeasuredServer } from '../../subject/measured-server.ts';
import type { Window } from '../../subject/measured-server.ts';
import { shuffled } from '../../statistics/random.ts';
import type { Platform } from '../../subject/subject.ts';

export interface LoadSettings {
  /** Each round starts fresh processes: optimised code and memory layout differ from process to process. */
  readonly rounds: number;
  /** Windows of each process in a round. In each pass, every peer gets one window. */
  readonly passes: number;
  /** Share of `Server.requests` that one window sends. */
  readonly requestShare: number;
  /** Requests before the first window, counted in windows: V8 optimises the code meanwhile. */
  readonly warmUpWindows: number;
  readonly connections: number;
  readonly maxWindowMs: number;
}

/** The measurements of one peer in one round. */
export interface Cell {
  /** One value per pass. */
  readonly cpuMicrosecondsPerRequest: readonly number[];
  readonly p99Ms: number;
  readonly rssBytes: number;
  readonly readyMs: number;
}

export type Round = Readonly<Record<string, Cell>>;

/** Measures all peers with one server. The passes are interleaved in shuffled order: A B C …, C A B …, … */
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
