import type { Block, Instance, LagPoint, Sources, ThreadInfo, TraceSpan, Victim } from './types.js';

/** A block in a list: without the fields that only the block's dialog shows. */
export type BlockRow = Omit<Block, 'stackTrace' | 'profile'>;

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
  /** How long start-up took, where that is worth a sentence. */
  readonly startUp?: string | undefined;
  /** Number of blocks that were evicted by a limit. */
  readonly droppedBlocks: number;
  readonly retentionMs?: number;
  readonly maxBlocks: number;
  readonly jaegerUrl?: string;
  readonly instances: readonly Instance[];
  readonly blocks: readonly BlockRow[];
  readonly lag: readonly LagPoint[];
  readonly threads: readonly ThreadInfo[];
}

/** Changes since the state or the last update. */
export interface PageUpdate {
  readonly blocks: readonly BlockRow[];
  readonly lag: readonly LagPoint[];
  readonly instances: readonly Instance[];
  readonly threads: readonly ThreadInfo[];
  readonly droppedBlocks: number;
}

/** Everything about one block. */
export interface BlockDetail {
  readonly block: Block;
  readonly trace: readonly TraceSpan[];
  readonly victims: readonly Victim[];
  readonly sources: Sources;
}

export function rowOf(block: Block): BlockRow {
  const { stackTrace: _stackTrace, profile: _profile, ...row } = block;
  return row;
}
