import type { TruthRecord } from '@loopwatch/test-support';

import type { Recorded } from './recorder/recorded.ts';
import type { Load, MachineLoad } from './record/loads.ts';
import type { Ticks } from './record/ticks.ts';

/** A block as the program and the kernel measured it, on the clock of its thread. */
export interface Truth {
  readonly id: string;
  readonly threadId: number;
  readonly startNowMs: number;
  readonly endNowMs: number;
  readonly cpuMs?: number | undefined;
  readonly runQueueMs?: number | undefined;
  /** Time for which a quota stopped the group meanwhile, by the kernel. */
  readonly throttledMs?: number | undefined;
  /** Garbage collection, by an observer that was there from the start of the program. */
  readonly gcMs: number;
  /** The span that was active; empty: none. */
  readonly span: string;
  readonly spanName?: string | undefined;
  /** Several blocks of the program in one iteration of the loop. */
  readonly isJoined?: boolean | undefined;
}

/** One run of a subject, as it is packed. */
export interface RecordedRun {
  readonly subject: string;
  readonly nodeMajor: number;
  readonly load: Load;
  readonly pass: number;
  readonly isCalm: boolean;
  readonly machine: MachineLoad;
  readonly truths: readonly Truth[];
  readonly periods: readonly Recorded[];
}

/** Where V8's profiler saw the time of a subject's block, in a run of its own. */
export interface Profile {
  readonly subject: string;
  readonly nodeMajor: number;
  readonly id: string;
  readonly isCalm: boolean;
  readonly gcMs: number;
  /** Without collections. */
  readonly otherMs: number;
  readonly ticks?: Ticks | undefined;
  readonly functions: readonly ProfiledFunction[];
}

export interface ProfiledFunction {
  readonly functionName: string;
  readonly url: string;
  readonly line: number;
  /** In it and in what it called, without collections. */
  readonly ms: number;
}

export interface Evidence {
  readonly runs: readonly RecordedRun[];
  readonly profiles: readonly Profile[];
}

export function spanKey({ traceId, spanId }: Pick<TruthRecord, 'traceId' | 'spanId'>): string {
  return traceId === undefined ? '' : `${traceId}:${spanId ?? ''}`;
}
