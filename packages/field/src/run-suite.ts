import { workspaceNodeMajor } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import { differencesBetween } from './compare/differences.ts';
import type { Outcome } from './compare/differences.ts';
import { findingsOf } from './findings.ts';
import type { Findings } from './findings.ts';
import { installLoopwatch } from './install/loopwatch.ts';
import { installProgram, versionsOf } from './install/program-packages.ts';
import { folderOf, modes } from './program.ts';
import type { FieldProgram, Mode } from './program.ts';
import { runProgram } from './run/run-program.ts';
import type { FinishedRun, RunSettings } from './run/run-program.ts';

export interface ProgramResult {
  readonly name: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly findings: readonly Findings[];
}

export interface SuiteOptions {
  readonly nodeMajors: readonly NodeMajor[];
  readonly modes: readonly Mode[];
  readonly onProgress: (text: string) => void;
}

/** Runs a program in its modes on each Node major; modes with Loopwatch are compared with their base. */
export async function runFieldProgram(program: FieldProgram, options: SuiteOptions): Promise<ProgramResult> {
  const findings: Findings[] = [];
  options.onProgress(`${program.name}: install`);
  const packages = await installProgram(folderOf(program));
  for (const nodeMajor of options.nodeMajors) {
    if (program.nodeMajors && !program.nodeMajors.includes(nodeMajor)) continue;
    const loopwatch = await installLoopwatch(nodeMajor);
    const bases = new Map<Mode, Outcome>();
    for (const mode of modesOf(program, nodeMajor, options.modes)) {
      options.onProgress(`${program.name}: Node ${nodeMajor}, ${mode}`);
      const settings = { program, mode, nodeMajor, packages, loopwatch };
      const base = baseOf(mode);
      if (base === undefined) {
        const { outcome } = await runProgram({ ...settings, withProfiler: false });
        assertWorks(settings, outcome);
        bases.set(mode, outcome);
        continue;
      }
      findings.push(await runAndCompare(settings, bases.get(base)!));
    }
  }
  return { name: program.name, versions: versionsOf(folderOf(program)), findings };
}

/** A program that does not work without Loopwatch shows nothing. */
function assertWorks({ program, mode, nodeMajor }: Omit<RunSettings, 'withProfiler'>, outcome: Outcome): void {
  const { exitCode = 0, server } = program;
  const works = server ? outcome.answers.some(({ status }) => status === 200) : outcome.exitCode === exitCode;
  if (works && !outcome.timedOut) return;
  throw new Error(
    `Expected ${program.name} to work on Node ${nodeMajor} (${mode}), got exit code ${outcome.exitCode}, ` +
      `signal ${outcome.signal}.\n${outcome.stdout.slice(-2000)}\n${outcome.stderr.slice(-2000)}`,
  );
}

/**
 * V8's profiler crashes a server in up to one of five runs on Node 24 when it ends, without Loopwatch as with it. NestJS
 * listens for SIGSEGV: there the process hangs instead.
 */
const PROFILED_ATTEMPTS = 4;

/** Runs with V8's profiler. What differs then counts only if it differs without the profiler too. */
async function runAndCompare(settings: Omit<RunSettings, 'withProfiler'>, base: Outcome): Promise<Findings> {
  const run = await runProfiled(settings);
  let differences = differencesBetween(base, run.outcome);
  if (differences.length > 0) {
    const { outcome } = await runProgram({ ...settings, withProfiler: false });
    differences = differencesBetween(base, outcome);
  }
  if (settings.mode === 'run' && !run.isRecorded) differences.push('`loopwatch run` wrote no recording');
  return findingsOf(settings, run, differences);
}

/** A process that crashes has reported nothing, and the run without the profiler shows whether Loopwatch is the reason. */
async function runProfiled(settings: Omit<RunSettings, 'withProfiler'>): Promise<FinishedRun> {
  for (let attempt = 1; ; attempt++) {
    const run = await runProgram({ ...settings, withProfiler: true });
    if (run.outcome.signal !== 'SIGSEGV' && !run.lacksProfile) return run;
    const { outcome } = await runProgram({ ...settings, withProfiler: false });
    if (outcome.signal === 'SIGSEGV' || attempt === PROFILED_ATTEMPTS) return run;
  }
}

function modesOf(
  { withRegister = false, nodeMajors = [workspaceNodeMajor] }: FieldProgram,
  nodeMajor: NodeMajor,
  wanted: readonly Mode[],
): Mode[] {
  const newest = Math.max(...nodeMajors);
  const possible = modes.filter((mode) => {
    if (mode === 'plain' || mode === 'run') return true;
    // Auto-instrumentation takes a third of the time, and its packages are the same on all majors.
    return withRegister && (mode === 'register' || nodeMajor === newest);
  });
  const chosen = possible.filter((mode) => wanted.includes(mode));
  const bases = chosen.flatMap((mode) => baseOf(mode) ?? []);
  return possible.filter((mode) => chosen.includes(mode) || bases.includes(mode));
}

/** The mode without Loopwatch that a mode is compared with. */
function baseOf(mode: Mode): Mode | undefined {
  if (mode === 'plain' || mode === 'auto') return undefined;
  return mode === 'auto+register' ? 'auto' : 'plain';
}
