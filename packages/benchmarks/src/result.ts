import type { MicroSummary } from './parts/measure-micro.ts';
import type { SpanSummary } from './parts/measure-spans.ts';
import type { ThreadsRow } from './parts/measure-threads.ts';
import type { PairedSummary } from './parts/paired/summarize-paired.ts';
import type { LoadSummary } from './parts/load/summarize-load.ts';
import type { Machine } from './machine.ts';
import type { QualitySummary } from './parts/quality/judge.ts';

/** All that one run has found on one Node major, by names of servers and peers. */
export interface BenchResult {
  readonly date: string;
  /** How long the run took. */
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
  readonly micro?: Readonly<Record<string, MicroSummary>>;
  readonly idlePercent?: Readonly<Record<string, number>>;
  readonly quality?: Readonly<Record<string, QualitySummary>>;
  /** What got worse since the run that was written before. */
  readonly worse?: readonly string[];
}
