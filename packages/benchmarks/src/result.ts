import type { MicroSummary } from './parts/measure-micro.ts';
import type { LoadingSummary } from './parts/measure-loading.ts';
import type { ProbeSummary } from './parts/measure-probes.ts';
import type { SaturatedResult } from './parts/measure-saturated.ts';
import type { ShedderSummary } from './parts/measure-shedders.ts';
import type { SpanSummary } from './parts/measure-spans.ts';
import type { ThreadsRow } from './parts/measure-threads.ts';
import type { PairedSummary } from './parts/paired/summarize-paired.ts';
import type { LoadSummary } from './parts/load/summarize-load.ts';
import type { Machine } from './machine.ts';
import type { QualitySummary } from './parts/quality/judge.ts';

/** The fields of a result that a part measures. */
export type MeasuredName =
  | 'load'
  | 'paired'
  | 'micro'
  | 'spans'
  | 'shedders'
  | 'probes'
  | 'idlePercent'
  | 'saturated'
  | 'loading'
  | 'threads'
  | 'quality';

/** A run of some parts only. */
export interface PartRun {
  readonly date: string;
  readonly node: string;
  readonly loadAverage: BenchResult['loadAverage'];
  readonly versions: Readonly<Record<string, string>>;
}

/** All results of one run on one Node major, by names of servers and peers. `results/` holds them as JSON. */
export interface BenchResult {
  readonly date: string;
  /** Length of the run. */
  readonly minutes?: number;
  readonly machine: Machine;
  readonly sdkVersion: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly loadAverage: { readonly before: number; readonly after: number };
  readonly settings: {
    readonly rounds: number;
    readonly passes: number;
    readonly connections: number;
    readonly seed: number;
  };
  readonly load?: Readonly<Record<string, Readonly<Record<string, LoadSummary>>>>;
  /** By server. */
  readonly paired?: Readonly<Record<string, PairedSummary>>;
  readonly threads?: readonly ThreadsRow[];
  readonly spans?: readonly SpanSummary[];
  readonly shedders?: readonly ShedderSummary[];
  readonly probes?: readonly ProbeSummary[];
  readonly micro?: Readonly<Record<string, MicroSummary>>;
  readonly idlePercent?: Readonly<Record<string, number>>;
  readonly saturated?: SaturatedResult;
  readonly loading?: LoadingSummary;
  readonly quality?: Readonly<Record<string, QualitySummary>>;
  /** Parts that were measured in a run of their own after the others. */
  readonly apart?: Readonly<Partial<Record<MeasuredName, PartRun>>>;
  /** What got worse since the previous result. */
  readonly worse?: readonly string[];
}
