import { type KindedBlock, searchesOfBlocks, withKind } from '../advice/culprit-kind.js';
import { stretchOf } from '../blocks/cpu-wait.js';
import { rankCulprits, timesOf } from '../blocks/culprits.js';
import { type BusyEntry, type BusyPeriod, divideBusyTime, sumBusyTime } from '../busy-time/busy.js';
import { recordBusyTime, type RecordedBusyTime } from '../busy-time/recorded-busy-time.js';
import { type LagSummary, summariseLag } from '../delays/histogram.js';
import type { PoolWait } from '../delays/thread-pool.js';
import type { UnwatchedProcess } from '../processes/unwatched.js';
import type { WatchProblem } from '../processes/watch-problem.js';
import type { Culprit, Instance, LagPoint, Sources, StartUp, VersionControl } from '../types.js';

/** Raised when a field is removed or changes its meaning. A new field does not raise it. */
export const RECORDING_SCHEMA_VERSION = 1;

/** Id of the element of the HTML report that holds the recording: gzip, as base64. */
export const REPORT_DATA_ID = 'loopwatch-data';

/** A run of a program, as `--json` writes it and `--report` shows it. Its schema is `schema/recording.schema.json`. */
export interface Recording {
  readonly schemaVersion: typeof RECORDING_SCHEMA_VERSION;
  readonly loopwatchVersion: string;
  readonly command: readonly string[];
  readonly directory: string;
  /** Epoch, ms. */
  readonly startedMs: number;
  readonly durationMs: number;
  readonly thresholdMs: number;
  /** How the program ended: with an exit code, or by a signal; `killedAfterMs` where `--kill-after` has ended it. */
  readonly exit: {
    readonly code?: number;
    readonly signal?: string;
    readonly killedAfterMs?: number | undefined;
  };
  readonly processes: readonly Instance[];
  /** Node.js processes of the program that were not watched, as far as they are known; absent without any. */
  readonly unwatchedProcesses?: readonly UnwatchedProcess[];
  /** What could not be done in the watched processes; absent where nothing is known of that kind. */
  readonly problems?: readonly WatchProblem[];
  /**
   * How long the threads took to evaluate their entry points; absent where that is not known. Counted: what was long
   * enough is among the blocks.
   */
  readonly startUp?: { readonly counted: boolean; readonly threads: readonly StartUp[] };
  /** Long waits for libuv's thread pool; absent without any. */
  readonly threadPool?: readonly PoolWait[];
  /**
   * For how long the loops were busy, by request and function, most time first; absent where it is not known. Time within
   * blocks is part of it.
   */
  readonly busy?: readonly BusyEntry[];
  /** What `busy` is the sum of, with stacks. */
  readonly busyTime?: RecordedBusyTime;
  /** In the order of their start. */
  readonly blocks: readonly (KindedBlock & Stretched)[];
  /** Number of blocks that were evicted by the limit. */
  readonly droppedBlocks: number;
  /** Most blocked time first. */
  readonly culprits: readonly (Culprit & Stretched)[];
  readonly lag: { readonly summary?: LagSummary; readonly points: readonly LagPoint[] };
  readonly sources: Sources;
  /** Version of the program: `service.version`, or that of its `package.json`; absent if neither is known. */
  readonly programVersion?: string;
  /** Absent outside of a repository. */
  readonly vcs?: VersionControl;
}

/** For readers of the JSON file: how many times longer the time is by waiting for CPU, as `cpu-wait.ts` defines it. */
interface Stretched {
  readonly stretch?: number;
}

interface Measured extends Omit<Recording, 'schemaVersion' | 'culprits' | 'lag' | 'busy' | 'busyTime'> {
  readonly lagPoints: readonly LagPoint[];
  readonly busyPeriods?: readonly BusyPeriod[];
}

export function createRecording({
  lagPoints,
  busyPeriods = [],
  blocks: measuredBlocks,
  ...measured
}: Measured): Recording {
  const searches = searchesOfBlocks(measuredBlocks);
  const blocks = measuredBlocks.map((block) => withKind(block, measured.sources, searches));
  const summary = summariseLag(lagPoints);
  return {
    schemaVersion: RECORDING_SCHEMA_VERSION,
    ...measured,
    ...(busyPeriods.length > 0 && {
      busy: sumBusyTime(divideBusyTime(busyPeriods)),
      busyTime: recordBusyTime(busyPeriods),
    }),
    blocks: [...blocks].sort((a, b) => a.startMs - b.startMs).map((block) => withStretch(block, block)),
    culprits: rankCulprits(blocks).map((culprit) => withStretch(culprit, timesOf(culprit))),
    lag: { ...(summary && { summary }), points: lagPoints },
  };
}

function withStretch<T extends object>(item: T, times: Parameters<typeof stretchOf>[0]): T & Stretched {
  const stretch = stretchOf(times);
  return stretch === undefined ? item : { ...item, stretch: Math.round(stretch * 100) / 100 };
}
