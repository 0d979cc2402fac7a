import type { Block, Instance, LagPoint, Sources, ThreadInfo, TraceSpan, Victim } from './types.js';

/** A block in a list: without what only its own view shows. */
export type BlockRow = Omit<Block, 'stackTrace' | 'profile'>;

/** What the page shows, live or as a report. */
export interface PageState {
  readonly title: string;
  readonly version: string;
  /** That the program was run in: paths below it are shown relative to it. */
  readonly directory?: string;
  /** Epoch, ms. */
  readonly startedMs: number;
  /** Epoch, ms; absent while it goes on. */
  readonly endedMs?: number;
  readonly thresholdMs?: number;
  /** How the program ended: `exit code 0`, `SIGTERM`. */
  readonly outcome?: string;
  /** Blocks that were let go to stay within the limits. */
  readonly droppedBlocks: number;
  readonly retentionMs?: number;
  readonly maxBlocks: number;
  readonly jaegerUrl?: string;
  readonly instances: readonly Instance[];
  readonly blocks: readonly BlockRow[];
  readonly lag: readonly LagPoint[];
  readonly threads: readonly ThreadInfo[];
}

/** What has come since. */
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
