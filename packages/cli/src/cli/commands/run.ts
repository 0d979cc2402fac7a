import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

import type { ChannelConfig } from '../../channel/contract.js';
import { createChannel, createRecordReader, type RecordReader } from '../../channel/reader.js';
import { searchesOfBlocks } from '../../model/culprit-kind.js';
import { formatInstance, plural } from '../../model/format.js';
import { notKeptText } from '../../model/not-kept.js';
import { recordedCommand } from '../../model/public-command.js';
import { createRecording, type Recording } from '../../model/recording.js';
import { nothingWatchedSentence, remarksOn } from '../../model/remarks.js';
import { withKinds } from '../files/kinds.js';
import { anySourceFiles, sourceFilesBelow } from '../files/source-files.js';
import { collectSources } from '../files/source-lines.js';
import { sourceMapHint } from '../files/source-map-hint.js';
import { type OutputPaths, prepareFiles, writeFiles } from '../files/write-files.js';
import { type ProgramSource, programSource } from '../program/source.js';
import { hangThreshold } from '../program/hang-threshold.js';
import { isAlive } from '../program/is-alive.js';
import { endAs, endedByKey, finalOutcome, KILLED, type Outcome } from '../program/outcome.js';
import { BlocksSoFar } from '../store/blocks-so-far.js';
import { ingestRecords } from '../store/ingest-records.js';
import { enforceLimits } from '../store/retention.js';
import {
  busyPeriodsOf,
  type Change,
  createStore,
  DEFAULT_LIMITS,
  instancesOf,
  lagPointsOf,
  type Store,
} from '../store/store.js';
import { createLiveView, type LiveView } from '../terminal/live-view.js';
import { endEcho, styleFor } from '../terminal/stream-style.js';
import { findingsForCi, isGitHubJob, reportRunToGitHub } from './ci.js';
import { effectiveThreshold, failureOf } from './fail-on.js';
import { KillAfter } from './kill-after.js';
import { startProgram } from './start-program.js';

export interface RunOptions extends OutputPaths {
  readonly version: string;
  readonly threshold: number;
  readonly failOn?: number;
  /** ms */
  readonly killAfter?: number;
  readonly startup?: true;
  readonly withArguments?: true;
  readonly quiet?: true;
  readonly color: boolean;
  readonly open?: true;
  /** Instead of starting the command: `attach` watches processes that run already. */
  readonly attach?: (watch: Watch) => Promise<void>;
}

/** What watches processes that run already. */
export interface Watch {
  readonly config: ChannelConfig;
  /**
   * Takes the file that a process appends its records to from now on: the summary covers the time from the first one on.
   * `isForeign`: the process has other rights than this one.
   */
  readonly begins: (descriptor: number, isForeign: boolean) => void;
  /** Whether the main thread of a process is in a block, by the id that the process has of itself. */
  isBlocked(innerPid: number): boolean;
}

const POLL_INTERVAL_MS = 100;
/** For how long the rest of the records is read in the end. */
const MAX_REST_MS = 1000;
/** A report covers the whole run: nothing expires, and blocks are evicted only above 20,000. */
const RUN_LIMITS = {
  ...DEFAULT_LIMITS,
  retentionMs: Infinity,
  maxBlocks: 20_000,
  maxBytes: 768 * 1024 * 1024,
  maxThreads: 20_000,
  maxLagPoints: 100_000,
};
const PREFIX = 'loopwatch ';

/** Runs the program, prints each block when it ends, and exits as the program did. */
export async function run(command: readonly string[], options: RunOptions): Promise<void> {
  const { failOn, open } = options;
  const files = await prepareFiles(options);
  const directory = options.attach ? undefined : createDirectory();
  let ended: Outcome | undefined;
  try {
    const threshold = effectiveThreshold(options.threshold, failOn);
    const { recording, outcome } = await record(command, directory, { ...options, threshold }, (outcome) => {
      ended = outcome;
    });
    const findings = findingsForCi(recording, options);
    const allWritten = await writeFiles(recording, files, { print: say, openReport: open === true, findings });
    const failure = failOn === undefined ? undefined : failureOf(recording, failOn);
    if (failure) say(failure);
    await reportRunToGitHub(recording, findings, { ...options, threshold, failure, say });
    if (options.quiet && failOn !== undefined) {
      [nothingWatchedSentence(recording, options.attach !== undefined) ?? [], remarksOn(recording, failOn)]
        .flat()
        .forEach(say);
    }
    endAs(finalOutcome(outcome, { blockedTooLong: failure !== undefined, isIncomplete: !allWritten }));
  } catch (error) {
    // A failure of our own must not hide how the program ended.
    if (!ended) throw error;
    say(error instanceof Error ? error.message : String(error));
    endAs(finalOutcome(ended, { blockedTooLong: false, isIncomplete: true }));
  } finally {
    // A process that the program has left behind may still write there.
    if (directory !== undefined) removeDirectory(directory);
  }
}

function createDirectory(): string {
  try {
    return mkdtempSync(path.join(tmpdir(), 'loopwatch-'));
  } catch (cause) {
    throw unwritable(cause);
  }
}

function removeDirectory(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // A process that the program has left behind writes there.
  }
}

function unwritable(cause: unknown): Error {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return new Error(
    `Cannot write to the temporary directory ${tmpdir()} (${code}). Set TMPDIR to a directory that can be written.`,
    { cause },
  );
}

async function record(
  command: readonly string[],
  directory: string | undefined,
  options: RunOptions,
  onEnd: (outcome: Outcome) => void,
): Promise<{ recording: Recording; outcome: Outcome }> {
  const store = createStore(RUN_LIMITS);
  const view = createView(store, options);
  const publish = ({ blocks }: Change): void => {
    enforceLimits(store, Date.now());
    if (!options.quiet) view.onBlocks(blocks);
  };
  const withArguments = options.withArguments === true;
  const config = { thresholdMs: options.threshold, countsStartUp: options.startup === true, withArguments };
  const reader = directory === undefined ? createRecordReader() : createProgramChannel(directory, config);
  const soFar = new BlocksSoFar(store, { hangThresholdMs: hangThreshold(process.env), isAlive: livenessOf(options) });
  const killAfter = killAfterOf(options, directory);
  const readRecords = (): void => {
    const records = reader.read();
    publish(ingestRecords(store, records));
    const nowMs = Date.now();
    for (const record of records) soFar.note(record, nowMs);
  };
  const poll = (hasEnded = false): void => {
    const startedAt = performance.now();
    readRecords();
    while (hasEnded && reader.unreadBytes > 0 && performance.now() - startedAt < MAX_REST_MS) readRecords();
    const nowMs = Date.now();
    if (!hasEnded) publish(soFar.takeHangs(nowMs));
    if (!hasEnded) killAfter?.check(soFar);
    publish(soFar.takeCutShort(nowMs, hasEnded));
  };
  const timer = setInterval(() => {
    poll();
  }, POLL_INTERVAL_MS);
  let startedMs = Date.now();
  // The system's time may be set meanwhile.
  let startedAt = performance.now();
  let isAttached = false;
  let readsSources = true as boolean;
  const watch: Watch = {
    config,
    begins: (descriptor, isForeign) => {
      reader.add(descriptor);
      if (isForeign) readsSources = false;
      if (isAttached) return;
      isAttached = true;
      [startedMs, startedAt] = [Date.now(), performance.now()];
    },
    isBlocked: (innerPid) => soFar.isMainBlocked(String(innerPid)),
  };
  // Before the program, which may change the checkout.
  const source = needsSource(options) ? programSource(process.cwd(), process.env) : undefined;
  try {
    const sayRemedy = options.quiet ? () => undefined : say;
    let outcome: Outcome = { code: 0 };
    if (directory === undefined) await options.attach?.(watch);
    else
      outcome = await startProgram(command, directory, {
        store,
        say: sayRemedy,
        withArguments,
        onStart: (kill) => killAfter?.begins(kill),
      });
    const wasKilled = (await killAfter?.ended()) === true;
    const durationMs = Math.round(performance.now() - startedAt);
    const ended = wasKilled ? KILLED : outcome;
    onEnd(ended);
    if (!options.quiet && endedByKey(outcome)) endEcho(process.stderr);
    poll(true);
    for (const problem of problemsOf(reader, directory)) say(problem);
    const exit = wasKilled ? { ...outcome, killedAfterMs: options.killAfter } : outcome;
    const facts = { command, startedMs, durationMs, exit, options, readsSources, source: await source };
    const recording = recordingOf(store, facts);
    if (!options.quiet) {
      const { blocks, lag, processes } = recording;
      const hint = readsSources ? sourceMapHint(blocks, processes, process.env.NODE_OPTIONS, process.cwd()) : undefined;
      const hints = hint === undefined ? [] : [hint];
      view.summary({
        blocks,
        lag: lag.points,
        elapsedMs: durationMs,
        hints,
        remarks: [remarksOn(recording, options.threshold), notKeptText(store.totals.notKept) ?? []].flat(),
        nothingWatched: nothingWatchedSentence(recording, options.attach !== undefined),
      });
    }
    return { recording, outcome: ended };
  } finally {
    clearInterval(timer);
    reader.close();
  }
}

function killAfterOf({ killAfter, color }: RunOptions, directory: string | undefined): KillAfter | undefined {
  if (killAfter === undefined || directory === undefined) return undefined;
  return new KillAfter({ limitMs: killAfter, directory, color, prefixWidth: PREFIX.length, say });
}

function createProgramChannel(directory: string, config: ChannelConfig): RecordReader {
  try {
    return createChannel(directory, config);
  } catch (cause) {
    throw unwritable(cause);
  }
}

/** Why the recording may not be whole. */
function problemsOf(reader: RecordReader, directory: string | undefined): string[] {
  const place = directory ?? 'a file in the temporary directory of the process';
  const { droppedCount, unreadBytes } = reader;
  return [
    ...(reader.hasLostRecords() ? [`Blocks are missing: ${place} could not be written. Is the disk full?`] : []),
    ...(droppedCount > 0
      ? [
          `${plural(droppedCount, 'line')} of the process could not be read as records, such as one that a killed process has not finished.`,
        ]
      : []),
    ...(unreadBytes > 0 ? [`The process wrote more than could be read: ${unreadBytes} bytes are left out.`] : []),
  ];
}

interface RunFacts {
  readonly command: readonly string[];
  readonly startedMs: number;
  readonly durationMs: number;
  readonly exit: Recording['exit'];
  readonly options: RunOptions;
  /**
   * False with `attach` to a process that has other rights: the paths that it names may lead to files that it could not
   * read, or in a container to other ones.
   */
  readonly readsSources: boolean;
  readonly source: ProgramSource | undefined;
}

/** A recording that is not kept does not need it, and the source of an attached process is not in this directory. */
function needsSource({ json, report, pprof, gitlab, failOn, killAfter, attach }: RunOptions): boolean {
  const isForGitHub = isGitHubJob() && (failOn ?? killAfter) !== undefined;
  return attach === undefined && (isForGitHub || (json ?? report ?? pprof ?? gitlab) !== undefined);
}

function recordingOf(store: Store, facts: RunFacts): Recording {
  const { command, startedMs, durationMs, exit, options, readsSources, source } = facts;
  const blocks = [...store.blocks.values()];
  const files = readsSources ? anySourceFiles() : sourceFilesBelow([]);
  const unwatched = store.unwatched.filter(({ pid }) => !store.instances.has(String(pid)));
  return createRecording({
    loopwatchVersion: options.version,
    command: recordedCommand(command, options.withArguments === true),
    directory: process.cwd(),
    startedMs,
    durationMs,
    thresholdMs: options.threshold,
    exit,
    processes: instancesOf(store),
    ...(unwatched.length > 0 && { unwatchedProcesses: unwatched }),
    startUp: { counted: options.startup === true, threads: store.startUps },
    ...(store.poolWaits.size > 0 && { threadPool: [...store.poolWaits.values()] }),
    blocks: withKinds(blocks, files, searchesOfBlocks(blocks)),
    droppedBlocks: store.totals.evictedBlocks,
    lagPoints: lagPointsOf(store),
    busyPeriods: busyPeriodsOf(store),
    sources: collectSources(blocks, files),
    ...source,
  });
}

/** Whether a process is alive. One that `attach` watches may have another id here: it is, as far as is known. */
function livenessOf({ attach }: RunOptions): (instance: string) => boolean {
  return attach === undefined ? (instance) => isAlive(Number(instance)) : () => true;
}

function createView(store: Store, options: RunOptions): LiveView {
  const { color } = options;
  const isKnownAlive = livenessOf(options);
  const style = styleFor(process.stderr, color, PREFIX.length);
  const prefix = style().colors.dim(PREFIX);
  return createLiveView({
    write: (line) => {
      process.stderr.write(`${prefix}${line}\n`);
    },
    style,
    sourceOf: (block) => {
      const instance = store.instances.get(block.instance);
      return store.instances.size > 1 && instance ? formatInstance(instance) : undefined;
    },
    hasEnded: (block) => !isKnownAlive(block.instance),
  });
}

function say(line: string): void {
  process.stderr.write(`${PREFIX}${line}\n`);
}
