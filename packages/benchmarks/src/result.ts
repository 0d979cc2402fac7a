import type { MicroSummary } from './parts/measure-micro.ts';
import type { LoadingSummary } from './parts/measure-loading.ts';
import type { ProbeSummary } from './parts/measure-probes.ts';
import type { QuestionSummary } from './parts/measure-questions.ts';
import type { SaturatedResult } from './parts/measure-saturated.ts';
import type { ShedderSummary } from './parts/measure-shedders.ts';
import type { SpanSummary } from './parts/measure-spans.ts';
import type { ThreadsRow } from './parts/measure-threads.ts';
import type { PairedSummary } from './parts/paired/summarize-paired.ts';
import type { LoadSummary } from './parts/load/summarize-load.ts';
import type { Machine } from './machine.ts';
import type { QualitySummary } from './parts/quality/judge.ts';
import type { Part } from './options.ts';

/** When and on what machine something was measured. */
export interface RunConditions {
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
}

/**
 * All results of one run on one Node major, by names of servers and peers. `results/` holds them as JSON. The conditions
 * are those of the whole run.
 */
export interface BenchResult extends RunConditions {
  /** Conditions of the parts that were measured in a later run of their own. */
  readonly partRuns?: Readonly<Partial<Record<Part, RunConditions>>>;
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
  readonly questions?: QuestionSummary;
  readonly loading?: LoadingSummary;
  readonly quality?: Readonly<Record<string, QualitySummary>>;
  /** What got worse since the previous result. */
  readonly worse?: readonly string[];
}

/** The fields of a result that a part measures. */
export type MeasuredName = Exclude<keyof BenchResult, keyof RunConditions | 'partRuns' | 'worse'>;

const fieldOf: Readonly<Record<Part, MeasuredName>> = {
  load: 'load',
  paired: 'paired',
  micro: 'micro',
  spans: 'spans',
  shedders: 'shedders',
  probes: 'probes',
  idle: 'idlePercent',
  saturated: 'saturated',
  questions: 'questions',
  loading: 'loading',
  threads: 'threads',
  quality: 'quality',
};

/** The previous result, in which a later run replaces the given parts and nothing else. */
export function withParts(previous: BenchResult, later: BenchResult, parts: readonly Part[]): BenchResult {
  const { date, minutes, machine, sdkVersion, versions, loadAverage, settings } = later;
  const conditions = { date, minutes, machine, sdkVersion, versions, loadAverage, settings };
  return {
    ...previous,
    ...Object.fromEntries(parts.map((part) => [fieldOf[part], later[fieldOf[part]]])),
    partRuns: { ...previous.partRuns, ...Object.fromEntries(parts.map((part) => [part, conditions])) },
  };
}
