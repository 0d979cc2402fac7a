import { type Kinded, type KindedBlock, withKind } from '../advice/culprit-kind.js';
import type { VictimGroup } from '../blocks/victims.js';
import type { Block, Instance, LagPoint, Sources, ThreadInfo, TraceSpan, VersionControl, Victim } from '../types.js';
import type { NotKept } from './not-kept.js';
import type { InstanceSeen } from './presence.js';

/** A block in a list: without the fields that only the block's dialog shows. */
export type BlockRow = Omit<Block, 'stackTrace' | 'profile'> & Kinded;

/** The data of the page, live or in a report. */
export interface PageState {
  readonly title: string;
  readonly version: string;
  /** Working directory of the program: paths below it are shown relative to it. */
  readonly directory?: string;
  /** Epoch, ms. */
  readonly startedMs: number;
  /** Epoch, ms; absent on the live page. */
  readonly endedMs?: number;
  readonly thresholdMs?: number;
  /** How the program ended: `exit code 0`, `SIGTERM`. */
  readonly outcome?: string;
  /** Sentences about what the blocks do not show: a full thread pool, of a report a long start-up, of the live page that nothing is saved. */
  readonly remarks?: readonly string[];
  /** Number of blocks that were evicted by a limit. */
  readonly droppedBlocks: number;
  /** What has arrived and is not kept; absent in a report. */
  readonly notKept?: NotKept;
  readonly retentionMs?: number;
  readonly maxBlocks: number;
  readonly jaegerUrl?: string;
  /** Of a report: the repository and commit that its places link to. */
  readonly vcs?: VersionControl;
  /** Epoch, ms, by the server's clock; absent in a report. */
  readonly serverMs?: number;
  readonly instances: readonly Instance[];
  /** When the server last received data of each instance; empty in a report. */
  readonly seen: readonly InstanceSeen[];
  readonly blocks: readonly BlockRow[];
  readonly lag: readonly LagPoint[];
  readonly threads: readonly ThreadInfo[];
}

/** Changes since the state or the last update. */
export interface PageUpdate {
  readonly blocks: readonly BlockRow[];
  /** Ids of hang reports that a block has replaced. */
  readonly removedBlocks: readonly string[];
  readonly lag: readonly LagPoint[];
  readonly instances: readonly Instance[];
  readonly seen: readonly InstanceSeen[];
  readonly threads: readonly ThreadInfo[];
  readonly droppedBlocks: number;
  readonly notKept?: NotKept;
  /** All that hold now. */
  readonly remarks: readonly string[];
}

/** Everything about one block. */
export interface BlockDetail {
  readonly block: Block;
  readonly trace: readonly TraceSpan[];
  readonly victims: readonly Victim[];
  readonly sources: Sources;
}

/** What the page of a culprit shows besides its blocks. */
export interface CulpritDetail {
  /** Requests and other spans that waited for its blocks; empty where nothing records them. */
  readonly victims: readonly VictimGroup[];
  /** The lines around those that blocked, as far as their files are on the machine of the CLI. */
  readonly sources: Sources;
}

export function rowOf(block: KindedBlock): BlockRow {
  const { stackTrace: _stackTrace, profile: _profile, ...row } = withKind(block);
  return row;
}
