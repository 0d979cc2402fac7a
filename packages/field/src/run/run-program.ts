import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { nodeBinary } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';
import { freePort } from '@loopwatch/test-support/free-port';

import { blocksOfRecording } from '../blocks.ts';
import type { Recording, ReportedBlock } from '../blocks.ts';
import type { Outcome } from '../compare/differences.ts';
import { bodyWithoutNoise, withoutNoise } from '../compare/noise.ts';
import { runCommand } from '../install/run-command.ts';
import type { InstalledLoopwatch } from '../install/loopwatch.ts';
import { pathWith, profilerPreload, programsDirectory } from '../paths.ts';
import { timelineOf } from '../profile/timeline.ts';
import type { Timeline } from '../profile/timeline.ts';
import { profilesOfTrace } from '../profile/trace.ts';
import { folderOf } from '../program.ts';
import type { FieldProgram, Mode, OutputNoise } from '../program.ts';
import { startChild } from './child.ts';
import type { ChildOutcome, RunningChild } from './child.ts';
import { launchOf } from './launch.ts';
import type { Launch } from './launch.ts';
import { startOtlpReceiver } from './otlp-receiver.ts';
import { serve } from './serve.ts';
import type { HttpAnswer } from './serve.ts';

export interface RunSettings {
  readonly program: FieldProgram;
  readonly mode: Mode;
  readonly nodeMajor: NodeMajor;
  /** Folder with the installed packages of the program. */
  readonly packages: string;
  readonly loopwatch: InstalledLoopwatch;
  /** Whether V8's CPU profiler runs as well. */
  readonly withProfiler: boolean;
}

export interface FinishedRun {
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly blocks: readonly ReportedBlock[];
  /** Mode `run`: whether `loopwatch run` wrote its recording. */
  readonly isRecorded: boolean;
  readonly timelines: readonly Timeline[];
  /** A process of a server has not ended its profile. */
  readonly lacksProfile: boolean;
  /** When a server was ready. Epoch, ms. */
  readonly readyAtMs?: number;
}

const DEFAULT_TIMEOUT_MS = 120_000;
/** Trace events of a process, with V8's CPU profiles. */
const TRACE_PREFIX = 'trace-';
/** To write what it has takes a process longer on a busy machine. */
const PROFILE_TIMEOUT_MS = 15_000;

/** Runs a program once, from a fresh copy of its files. */
export async function runProgram(settings: RunSettings): Promise<FinishedRun> {
  const { program, mode, nodeMajor, loopwatch, withProfiler } = settings;
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'loopwatch-field-'));
  const receiver = await startOtlpReceiver();
  const port = await freePort();
  try {
    const cwd = await workFolder(settings);
    const recording = path.join(scratch, 'recording.json');
    const launch = launchOf({
      mode,
      command: program.command.map((word) => word.replaceAll('{port}', String(port))),
      nodeBinary: nodeBinary(nodeMajor),
      loopwatch,
      recording,
      otlpUrl: receiver.url,
      ...(withProfiler && {
        profiler: { preload: profilerPreload, traceFiles: path.join(scratch, `${TRACE_PREFIX}\${pid}.json`) },
      }),
    });
    const env = environment(settings, { scratch, port, launch });
    if (program.prepare) {
      const command = program.prepare.map((word) => (word === 'node' ? nodeBinary(nodeMajor) : word));
      await runCommand(command, cwd, environment(settings, { scratch, port }));
    }
    const timeoutMs = program.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const child = startChild({ command: launch.command, cwd, env, timeoutMs });
    const served = program.server && (await serveProgram(settings, { child, port, scratch }));
    const ended = await child.outcome;
    const recorded = mode === 'run' ? await readRecording(recording) : undefined;
    return {
      outcome: outcomeOf(settings, ended, served?.answers ?? [], { port, scratch }),
      durationMs: ended.durationMs,
      blocks: (recorded ?? receiver.blocks).filter(isOfProgram),
      isRecorded: recorded !== undefined,
      timelines: await readTimelines(scratch),
      lacksProfile: served?.lacksProfile === true,
      ...(served && { readyAtMs: served.readyAtMs }),
    };
  } finally {
    await receiver.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * The same path in every mode, so that output with paths can be compared; below the application folder, so that the
 * packed packages resolve from there as they do for a user.
 */
async function workFolder({ program, packages, loopwatch }: RunSettings): Promise<string> {
  const cwd = path.join(loopwatch.applicationDirectory, 'field', program.name);
  await rm(cwd, { recursive: true, force: true });
  await mkdir(path.dirname(cwd), { recursive: true });
  await cp(path.join(programsDirectory, folderOf(program)), cwd, { recursive: true });
  await symlink(path.join(packages, 'node_modules'), path.join(cwd, 'node_modules'));
  return cwd;
}

function environment(
  { program, nodeMajor, loopwatch, withProfiler }: RunSettings,
  { scratch, port, launch }: { scratch: string; port: number; launch?: Launch },
): Record<string, string> {
  return {
    // A program that starts `node` by its name gets the tested major.
    PATH: pathWith(nodeMajor),
    // No settings of the user, and no cache that an earlier run has filled.
    HOME: scratch,
    TMPDIR: scratch,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    PORT: String(port),
    ...(withProfiler && { LOOPWATCH_FIELD_PROFILES: scratch, LOOPWATCH_FIELD_IGNORED: loopwatch.cli }),
    ...(withProfiler && program.server && { LOOPWATCH_FIELD_SERVER: '1' }),
    ...Object.fromEntries(
      Object.entries(program.env ?? {}).map(([name, value]) => [name, value.replaceAll('{port}', String(port))]),
    ),
    ...launch?.env,
  };
}

async function serveProgram(
  { program, withProfiler }: RunSettings,
  { child, port, scratch }: { child: RunningChild; port: number; scratch: string },
): Promise<{ answers: HttpAnswer[]; readyAtMs: number; lacksProfile: boolean }> {
  const noise = program.noise ?? [];
  let lacksProfile = false;
  const served = await serve({
    work: program.server!,
    port,
    child,
    withoutNoise: (text) => bodyWithoutNoise(text, { noise, port }),
    beforeSignal: async () => {
      if (withProfiler) lacksProfile = !(await endProfiles(scratch));
    },
  });
  return { ...served, lacksProfile };
}

/** Ends the recording of profiles in each process of the program and waits until they are written; false if one is not. */
async function endProfiles(scratch: string): Promise<boolean> {
  await writeFile(path.join(scratch, 'end'), '');
  const deadline = performance.now() + PROFILE_TIMEOUT_MS;
  const idsOf = async (prefix: string): Promise<string[]> =>
    (await readdir(scratch)).filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  for (;;) {
    const ended = await idsOf('ended-');
    const isMissing = (await idsOf('started-')).some((id) => !ended.includes(id));
    if (!isMissing || performance.now() > deadline) return !isMissing;
    await wait(50);
  }
}

function outcomeOf(
  { program: { noise = [], unordered = false } }: RunSettings,
  ended: ChildOutcome,
  answers: readonly HttpAnswer[],
  { port, scratch }: { port: number; scratch: string },
): Outcome {
  const home: OutputNoise = { pattern: new RegExp(scratch.replaceAll('.', '\\.'), 'g'), by: '<home>' };
  const rules = { noise: [home, ...noise], unordered, port };
  return {
    exitCode: ended.exitCode,
    signal: ended.signal,
    timedOut: ended.timedOut,
    stdout: withoutNoise(ended.stdout, rules),
    stderr: withoutNoise(ended.stderr, rules),
    answers,
  };
}

/** To end the recording of profiles may block. */
function isOfProgram({ culprit }: ReportedBlock): boolean {
  return culprit?.filePath !== profilerPreload;
}

async function readRecording(file: string): Promise<ReportedBlock[] | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : blocksOfRecording(JSON.parse(text) as Recording);
}

async function readTimelines(scratch: string): Promise<Timeline[]> {
  const files = (await readdir(scratch)).filter((name) => name.startsWith(TRACE_PREFIX));
  const traces = await Promise.all(files.map((name) => readFile(path.join(scratch, name), 'utf8')));
  return traces.flatMap(profilesOfTrace).map(timelineOf);
}
