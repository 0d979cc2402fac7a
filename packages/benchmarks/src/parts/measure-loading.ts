import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { nodeBinary } from '@loopwatch/node-binaries';
import { median } from '@loopwatch/test-support';

import { subjectsDirectory } from '../paths.ts';
import type { Estimate } from '../statistics/estimate.ts';
import { shuffled } from '../statistics/random.ts';
import { estimateShift } from '../statistics/signed-rank.ts';
import type { Platform } from '../subject/subject.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 30_000;

export interface LoadingSettings {
  /** Rounds; each starts one process of each kind, in random order. */
  readonly rounds: number;
  /** How long the program that waits does so, ms: longer than the watchdog needs to start. */
  readonly waitMs: number;
}

/** CPU of a process until its end, µs. */
interface Usage {
  readonly process: number;
  /** Of the main thread; absent where the system does not report it. */
  readonly thread?: number;
}

/** What a preload adds to a program, ms of CPU. */
export interface LoadingRow {
  readonly label: string;
  /** What it is compared with. */
  readonly over: string;
  readonly process: Estimate;
  readonly thread?: Estimate;
}

export interface LoadingSummary {
  /** CPU of a start of Node.js with an empty program, ms: the scale for all rows. */
  readonly nodeMs: number;
  readonly rows: readonly LoadingRow[];
}

const sdk = ['--import', './loading/sdk.mjs'];
const empty = ['--import', './loading/empty-instrumentation.mjs'];
const register = ['--import', '@loopwatch/instrumentation-event-loop/register'];
const flagsOf = {
  node: [],
  empty,
  sdk,
  emptyAfter: [...sdk, ...empty],
  emptyBefore: [...empty, ...sdk],
  after: [...sdk, ...register],
  before: [...register, ...sdk],
  worker: [...sdk, ...empty, '--import', './loading/worker.mjs'],
} as const;

const EMPTY = 'SDK and empty instrumentation';

/** A preload with a program that ends at once or waits. */
const kinds = [
  'node-ends',
  'empty-ends',
  'sdk-ends',
  'emptyAfter-ends',
  'emptyAfter-waits',
  'emptyBefore-waits',
  'after-ends',
  'after-waits',
  'before-waits',
  'worker-waits',
] as const;
/** Programs that print only what loading and registering take within them. */
const inProcessKinds = ['inProcess-mjs', 'inProcess-cjs'] as const;
/**
 * Their processes in a round: they are short, and without the noise of all that a process does besides. The difference
 * of two whole processes has an interval of tens of milliseconds after a dozen rounds on a busy machine.
 */
const IN_PROCESS_A_ROUND = 6;
type Kind = (typeof kinds)[number] | (typeof inProcessKinds)[number];
export type Usages = Readonly<Record<Kind, readonly Usage[]>>;

/** CPU of loading the instrumentation and registering it with an SDK, from the ends of short programs. */
export async function measureLoading(
  { nodeMajor, consumerDirectory }: Platform,
  { rounds, waitMs }: LoadingSettings,
  random: () => number,
  onProgress: (text: string) => void,
): Promise<LoadingSummary> {
  // Within the application, so that the preloads find its packages.
  await cp(path.join(subjectsDirectory, 'loading'), path.join(consumerDirectory, 'loading'), { recursive: true });
  const measure = async (kind: Kind): Promise<Usage> => {
    const args = argumentsOf(kind, waitMs);
    const { stdout } = await run(nodeBinary(nodeMajor), args, {
      cwd: consumerDirectory,
      timeout: TIMEOUT_MS,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production' },
    });
    return JSON.parse(stdout) as Usage;
  };
  const usages = Object.fromEntries([...kinds, ...inProcessKinds].map((kind) => [kind, [] as Usage[]])) as Record<
    Kind,
    Usage[]
  >;
  const ofRound = [...kinds, ...inProcessKinds.flatMap((kind) => Array<Kind>(IN_PROCESS_A_ROUND).fill(kind))];
  for (let round = 0; round <= rounds; round++) {
    onProgress(`loading: round ${round} of ${rounds}`);
    for (const kind of shuffled(ofRound, random)) {
      const usage = await measure(kind);
      // The first round fills the caches of the system.
      if (round > 0) usages[kind].push(usage);
    }
  }
  return summarizeLoading(usages);
}

function argumentsOf(kind: Kind, waitMs: number): string[] {
  const [preload, program] = kind.split('-') as [string, string];
  if (preload === 'inProcess') return [`loading/in-process.${program}`];
  return [...flagsOf[preload as keyof typeof flagsOf], 'loading/program.mjs', String(program === 'waits' ? waitMs : 0)];
}

export function summarizeLoading(usages: Usages): LoadingSummary {
  const row = (label: string, over: string, [with_, without]: readonly [Kind, Kind]): LoadingRow => {
    const added = (part: keyof Usage): Estimate | undefined => {
      const differences = usages[with_].flatMap((usage, round) => {
        const [a, b] = [usage[part], usages[without][round]?.[part]];
        return a === undefined || b === undefined ? [] : [(a - b) / 1e3];
      });
      return differences.length === 0 ? undefined : estimateShift(differences);
    };
    const thread = added('thread');
    return { label, over, process: added('process')!, ...(thread && { thread }) };
  };
  const inProcess = (label: string, kind: (typeof inProcessKinds)[number]): LoadingRow => {
    const all = usages[kind];
    const threads = all.flatMap(({ thread }) => (thread === undefined ? [] : [thread / 1e3]));
    return {
      label,
      over: 'itself, before',
      process: estimateShift(all.map((usage) => usage.process / 1e3)),
      ...(threads.length > 0 && { thread: estimateShift(threads) }),
    };
  };
  return {
    nodeMs: median(usages['node-ends'].map(({ process: microseconds }) => microseconds)) / 1e3,
    rows: [
      inProcess('**Loopwatch** after the SDK, loading and registering by `import`', 'inProcess-mjs'),
      inProcess('**Loopwatch** after the SDK, loading and registering by `require`', 'inProcess-cjs'),
      row('an empty instrumentation of OpenTelemetry', 'nothing', ['empty-ends', 'node-ends']),
      row("OpenTelemetry's SDK", 'nothing', ['sdk-ends', 'node-ends']),
      row('**Loopwatch** after the SDK, program that ends at once', EMPTY, ['after-ends', 'emptyAfter-ends']),
      row('**Loopwatch** after the SDK, program that waits', EMPTY, ['after-waits', 'emptyAfter-waits']),
      row('**Loopwatch** before the SDK, program that waits', EMPTY, ['before-waits', 'emptyBefore-waits']),
      row('a worker thread without code, program that waits', EMPTY, ['worker-waits', 'emptyAfter-waits']),
    ],
  };
}
