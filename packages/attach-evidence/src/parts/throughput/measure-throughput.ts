import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { NodeMajor } from '@loopwatch/node-binaries';
import { median } from '@loopwatch/test-support';

import { startAttach, WATCHES } from '../../process/attach-cli.ts';
import { meanWithInterval } from '../../statistics.ts';
import type { Estimate } from '../../statistics.ts';
import { PairedServers } from './paired-servers.ts';

/** CPU time per request, relative to before the attach: 0.01 is one percent more. */
export interface Change {
  readonly attached: Estimate;
  /**
   * The same where nothing was attached, but the server itself had a worker thread and a connection for as long: what
   * V8 and Node do.
   */
  readonly ownThread: Estimate;
  /** The same where nothing happened: the noise. */
  readonly control: Estimate;
}

const kinds = ['attached', 'ownThread', 'control'] as const satisfies readonly (keyof Change)[];

export interface ThroughputResult {
  readonly nodeMajor: NodeMajor;
  /** Soon after the attach has ended, while V8 optimises again. */
  readonly soon: Change;
  /** After `SETTLED_WINDOWS`. */
  readonly later: Change;
  readonly pairs: number;
}

export interface ThroughputSettings {
  /** Pairs of fresh processes of each kind. */
  readonly pairs: number;
  readonly windows: number;
  readonly requests: number;
}

/** Windows in which V8 optimises: at first, and after an attach. */
const SETTLED_WINDOWS = 60;
const SETTLED_WINDOW_REQUESTS = 300;
export const SETTLED_REQUESTS = SETTLED_WINDOWS * SETTLED_WINDOW_REQUESTS;
/** How long it is attached, under load. */
const WATCHED_WINDOWS = 6;
/** The watchdog thread ends half a second after the rest. */
const SETTLE_MS = 1500;

/** Compares what a request costs a server before and after an attach, in CPU time. */
export async function measureThroughput(
  major: NodeMajor,
  { pairs, windows, requests }: ThroughputSettings,
  random: () => number,
  onProgress: (text: string) => void = () => undefined,
): Promise<ThroughputResult> {
  const soon: Changes = { attached: [], ownThread: [], control: [] };
  const later: Changes = { attached: [], ownThread: [], control: [] };
  for (let pair = 1; pair <= pairs; pair++) {
    for (const offset of kinds.keys()) {
      const kind = kinds[(pair + offset) % kinds.length]!;
      onProgress(`throughput, pair ${pair} of ${pairs}, ${kind}`);
      await using servers = await PairedServers.start(major);
      await servers.measure(SETTLED_WINDOWS, SETTLED_WINDOW_REQUESTS, random);
      const before = await servers.measure(windows, requests, random);
      const watch = (): Promise<unknown> => servers.measure(WATCHED_WINDOWS, requests, random);
      if (kind === 'attached') await whileAttached(servers.pid, watch);
      else if (kind === 'ownThread') await whileOwnThread(servers, watch);
      else await watch();
      await sleep(SETTLE_MS);
      await servers.measure(WATCHED_WINDOWS, requests, random);
      soon[kind].push(median(await servers.measure(windows, requests, random)) - median(before));
      await servers.measure(SETTLED_WINDOWS, SETTLED_WINDOW_REQUESTS, random);
      later[kind].push(median(await servers.measure(windows, requests, random)) - median(before));
    }
  }
  return { nodeMajor: major, soon: changeOf(soon), later: changeOf(later), pairs };
}

/** Differences of logarithms. */
type Changes = Record<keyof Change, number[]>;

function changeOf({ attached, ownThread, control }: Changes): Change {
  return {
    attached: meanWithInterval(attached),
    ownThread: meanWithInterval(ownThread),
    control: meanWithInterval(control),
  };
}

async function whileOwnThread(servers: PairedServers, run: () => Promise<unknown>): Promise<void> {
  servers.toggleOwnThread();
  await sleep(SETTLE_MS);
  await run();
  servers.toggleOwnThread();
}

async function whileAttached(pid: number, run: () => Promise<unknown>): Promise<void> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'loopwatch-throughput-'));
  try {
    await using cli = startAttach(pid, directory);
    await cli.waitFor(WATCHES);
    await run();
    cli.kill('SIGINT');
    const { code } = await cli.exit;
    if (code !== 0) throw new Error(`Expected loopwatch attach to exit with 0, got: ${cli.output}`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
