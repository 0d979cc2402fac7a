import { parseArgs } from 'node:util';

import { nodeMajors, workspaceNodeMajor } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';
import { choose } from '@loopwatch/test-support';

import { BASELINE, CONTROL, peers, servers } from './catalogue.ts';
import type { Peer, Server } from './catalogue.ts';
import type { IdleSettings } from './parts/measure-idle.ts';
import type { LoadingSettings } from './parts/measure-loading.ts';
import type { LoadSettings } from './parts/load/measure-load.ts';
import type { ProbeSettings } from './parts/measure-probes.ts';
import type { QuestionSettings } from './parts/measure-questions.ts';
import type { SaturatedSettings } from './parts/measure-saturated.ts';
import type { ShedderSettings } from './parts/measure-shedders.ts';
import type { SpanSettings } from './parts/measure-spans.ts';
import type { ThreadSettings } from './parts/measure-threads.ts';
import type { PairedSettings } from './parts/paired/measure-paired.ts';
import type { QualitySettings } from './parts/quality/measure-quality.ts';

export const parts = [
  'load',
  'paired',
  'micro',
  'spans',
  'shedders',
  'probes',
  'idle',
  'saturated',
  'questions',
  'loading',
  'threads',
  'quality',
] as const;
export type Part = (typeof parts)[number];

export interface BenchOptions {
  readonly nodeMajors: readonly NodeMajor[];
  readonly peers: readonly Peer[];
  readonly servers: readonly Server[];
  readonly parts: readonly Part[];
  readonly load: LoadSettings;
  readonly paired: PairedSettings;
  readonly spans: SpanSettings;
  readonly shedders: ShedderSettings;
  readonly probes: ProbeSettings;
  readonly threads: ThreadSettings;
  readonly micro: { readonly rounds: number; readonly measuredMs: number };
  readonly idle: IdleSettings;
  readonly saturated: SaturatedSettings;
  readonly questions: QuestionSettings;
  readonly loading: LoadingSettings;
  readonly quality: QualitySettings;
  readonly seed: number;
  readonly write: boolean;
}

export const help = `npm run bench -- [options]

Measures what Loopwatch and its peers cost and report, in one interleaved run, and prints the tables.

  --node LIST       Node majors: ${nodeMajors.join(', ')} (default: ${workspaceNodeMajor})
  --peers LIST      ${peers.map(({ name }) => name).join(', ')}
                    (default: all; ${BASELINE} and ${CONTROL} are always among them)
  --servers LIST    ${servers.map(({ name }) => name).join(', ')} (default: all)
  --parts LIST      ${parts.join(', ')} (default: all)
  --rounds N        rounds under load, each with fresh processes (default: 4)
  --threads LIST    numbers of worker threads (default: 1,4,16,64; 256 take minutes to start, and 8 GiB)
  --quick           takes a few minutes and gives wide intervals; for work on the benchmarks themselves
  --seed N          seed of the shuffled order of measurements (default: 1)
  --write           also writes the results and regenerates docs/evidence/benchmarks.md; needs all peers and servers.
                    With --parts, only the tables of these parts change
  --help            prints this text

Lists are separated by commas.`;

/** Throws an error with the expected values when an option is wrong. */
export function parseOptions(commandArguments: readonly string[]): BenchOptions | 'help' {
  const { values } = parseArgs({
    args: [...commandArguments],
    options: {
      node: { type: 'string' },
      peers: { type: 'string' },
      servers: { type: 'string' },
      parts: { type: 'string' },
      rounds: { type: 'string' },
      threads: { type: 'string' },
      seed: { type: 'string', default: '1' },
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const chosenPeers = choose('--peers', values.peers, peers, ({ name }) => name);
  const chosenServers = choose('--servers', values.servers, servers, ({ name }) => name);
  const chosenParts = choose('--parts', values.parts, parts, String);
  if (values.write && (values.peers !== undefined || values.servers !== undefined)) {
    throw new Error('Expected --write without --peers and --servers: each table of the document compares all of them.');
  }
  const { quick } = values;
  return {
    nodeMajors: choose('--node', values.node ?? String(workspaceNodeMajor), nodeMajors, String),
    peers: peers.filter((peer) => chosenPeers.includes(peer) || [BASELINE, CONTROL].includes(peer.name)),
    servers: chosenServers,
    parts: chosenParts,
    load: {
      rounds: positiveInteger('--rounds', values.rounds ?? (quick ? '2' : '4')),
      passes: 3,
      requestShare: quick ? 0.2 : 0.4,
      warmUpWindows: quick ? 2 : 3,
      connections: 16,
      maxWindowMs: 300,
    },
    paired: quick
      ? { pairs: 1, trials: 2, phaseMs: 300, warmUpMs: 1000, settleMs: 1000 }
      : { pairs: 2, trials: 6, phaseMs: 2000, warmUpMs: 6000, settleMs: 2000 },
    micro: { rounds: quick ? 2 : 4, measuredMs: quick ? 50 : 100 },
    spans: { processes: quick ? 1 : 3, pairs: quick ? 20 : 60 },
    shedders: { batches: quick ? 10 : 60 },
    probes: { batches: quick ? 3 : 20 },
    threads: {
      counts: (values.threads ?? (quick ? '1,16' : '1,4,16,64')).split(',').map((n) => positiveInteger('--threads', n)),
      measuredMs: quick ? 500 : 3000,
      settleMs: quick ? 2000 : 40_000,
    },
    idle: quick ? { settleMs: 3000, measuredMs: 3000 } : { settleMs: 45_000, measuredMs: 30_000 },
    saturated: quick
      ? { passes: 6, windowMs: 1000, warmUpMs: 1500, settleMs: 3000, idleMs: 3000 }
      : { passes: 12, windowMs: 2000, warmUpMs: 5000, settleMs: 20_000, idleMs: 15_000 },
    questions: quick
      ? { pairs: 3, windowMs: 2000, steadyAfterMs: 3000, steadyWindows: 3, memoryPairs: 2, memoryMs: 2000 }
      : { pairs: 8, windowMs: 3000, steadyAfterMs: 100_000, steadyWindows: 10, memoryPairs: 3, memoryMs: 3000 },
    loading: { rounds: quick ? 3 : 12, waitMs: 400 },
    quality: { blocks: quick ? ['findParents', 'runCommand'] : [], hangMs: 7000 },
    seed: positiveInteger('--seed', values.seed),
    write: values.write,
  };
}

function positiveInteger(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`Expected ${option} as a whole number from 1, got ${text}.`);
  return value;
}
