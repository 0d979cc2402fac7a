import { readFileSync, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { programTree, runProgram } from '@loopwatch/test-support';
import type { Combination, Consumer, RunResult, TruthRecord } from '@loopwatch/test-support';

import type { Recorded } from '../recorder/recorded.ts';
import { isCalm, machineLoad, prepare } from './loads.ts';
import type { Load, MachineLoad } from './loads.ts';
import type { Subject } from './subjects.ts';
import { countTicks, readTicks } from './ticks.ts';
import type { Tick, Ticks } from './ticks.ts';

/** Of one thread, by its clock. */
export interface GcRecord {
  readonly threadId: number;
  readonly startNowMs: number;
  readonly endNowMs: number;
}

export interface QuotaRecord {
  readonly id: string;
  readonly threadId: number;
  readonly endNowMs: number;
  readonly throttledMs: number;
}

/** Where V8's profiler saw the time of a block. */
export interface ProfileRecord {
  readonly id: string;
  readonly threadId: number;
  readonly gcMs: number;
  readonly otherMs: number;
  /** Functions with more than a quarter of the time, deepest first. */
  readonly functions: readonly {
    readonly functionName: string;
    readonly url: string;
    readonly line: number;
    readonly column: number;
    readonly ms: number;
  }[];
}

/** What kind of code ran in a block, by V8's ticks. */
export interface TicksRecord extends Ticks {
  readonly id: string;
}

/** What one run of a subject gave. */
export interface RunRecord {
  readonly subject: string;
  readonly nodeMajor: number;
  readonly nodeVersion?: string;
  readonly load: Load;
  readonly machine: { readonly before: MachineLoad; readonly after: MachineLoad; readonly isCalm: boolean };
  readonly exitCode: number | null;
  readonly truths: readonly TruthRecord[];
  readonly spans: readonly { readonly spanId: string; readonly name: string }[];
  readonly gc: readonly GcRecord[];
  readonly quota: readonly QuotaRecord[];
  readonly profiles: readonly ProfileRecord[];
  /** Only of a run that measured them. */
  readonly ticks?: readonly TicksRecord[];
  readonly periods: readonly Recorded[];
}

/** Which functions had the time, or what kind of code. */
export type Profiled = 'functions' | 'ticks';

export interface RunPlan {
  readonly subject: Subject;
  readonly combination: Combination;
  readonly load: Load;
  /** What V8's profiler measures, with Loopwatch off. Not both at once: one sampler takes the signals of the other. */
  readonly profiled?: Profiled;
}

const measurePreload = path.resolve(import.meta.dirname, '../measure.cjs');
const TIMEOUT_MS = 90_000;

/** Runs a subject once. The paths of this machine are removed from what it returns. */
export async function runSubject(plan: RunPlan, consumer: Consumer): Promise<RunRecord> {
  const { subject, combination, load, profiled } = plan;
  const tree = await programTree(consumer, subject.folder);
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'loopwatch-evidence-'));
  const recording = path.join(scratch, 'periods.jsonl');
  const output = path.join(scratch, 'measured.jsonl');
  const ticksFile = path.join(scratch, 'v8.log');
  const before = machineLoad();
  try {
    await using loaded = prepare(load);
    const preload = subject.threadsPreload;
    const result = await runProgram({
      combination,
      tree,
      program: subject.run,
      args: subject.args,
      preload: preload === undefined ? 'import' : 'none',
      flags: [
        ...subject.flags,
        ...flagsOf(profiled, ticksFile),
        '--require',
        measurePreload,
        ...(preload === undefined ? [] : ['--require', path.join(tree.directory, preload)]),
      ],
      telemetry: { http: subject.http, victims: true, ...(profiled && { instrumentation: false }) },
      timeoutMs: TIMEOUT_MS,
      ...loaded.options,
      env: {
        LOOPWATCH_RECORDING: recording,
        LOOPWATCH_MEASURE_OUTPUT: output,
        ...(profiled && { LOOPWATCH_MEASURE: profiled }),
        ...loaded.options.env,
      },
    });
    const after = machineLoad();
    const ticks = existsSync(ticksFile) ? readTicks(ticksFile) : undefined;
    const measured = linesOf(output) as (
      | { type: 'note'; value: number }
      | ({ type: 'gc' } & GcRecord)
      | ({ type: 'quota' } & QuotaRecord)
      | ({ type: 'profile' } & ProfileRecord)
    )[];
    const v8StartMs = measured.find((each) => each.type === 'note')?.value ?? 0;
    const record: RunRecord = {
      subject: subject.name,
      nodeMajor: combination.nodeMajor,
      load,
      machine: { before, after, isCalm: isCalm(before) && isCalm(after) },
      exitCode: result.exitCode,
      truths: result.truths,
      spans: spansOf(result),
      gc: measured.filter((each) => each.type === 'gc'),
      quota: measured.filter((each) => each.type === 'quota'),
      profiles: measured.filter((each) => each.type === 'profile'),
      ...(ticks && { ticks: ticksOf(ticks, result, v8StartMs) }),
      periods: linesOf(recording) as Recorded[],
    };
    return withoutMachine(record, path.dirname(tree.directory), consumer.directory);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function spansOf({ spans }: RunResult): RunRecord['spans'] {
  return spans.filter(({ scope }) => !scope.includes('loopwatch')).map(({ spanId, name }) => ({ spanId, name }));
}

function flagsOf(profiled: Profiled | undefined, ticksFile: string): string[] {
  // V8's profiler does not find each function that was inlined.
  if (profiled === 'functions') return ['--no-turbo-inlining', '--no-maglev-inlining'];
  return profiled === 'ticks' ? ['--prof', '--no-logfile-per-isolate', `--logfile=${ticksFile}`] : [];
}

/** The ticks within the blocks of each name. V8's time begins when V8 has started, the program's with its process. */
function ticksOf(ticks: readonly Tick[], { truths }: RunResult, v8StartMs: number): TicksRecord[] {
  return [...new Set(truths.map(({ id }) => id))].map((id) => {
    const blocks = truths.filter((truth) => truth.id === id);
    const isWithin = ({ atMs }: Tick): boolean => {
      const nowMs = atMs + v8StartMs;
      return blocks.some(({ startNowMs, endNowMs }) => nowMs > startNowMs && nowMs < endNowMs);
    };
    return { id, ...countTicks(ticks.filter(isWithin)) };
  });
}

function linesOf(file: string): unknown[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
}

/** The programs are in `/app`, their packages and the telemetry's in its `node_modules`. */
function withoutMachine(record: RunRecord, tree: string, consumer: string): RunRecord {
  const repository = path.resolve(import.meta.dirname, '../../../../..');
  const text = JSON.stringify(record)
    .replaceAll(`${tree}/programs`, '/app')
    .replaceAll(`${tree}/kit`, '/kit')
    .replaceAll(consumer, '/app')
    .replaceAll(repository, '/workspace')
    .replaceAll(os.tmpdir(), '/scratch');
  return JSON.parse(text) as RunRecord;
}
