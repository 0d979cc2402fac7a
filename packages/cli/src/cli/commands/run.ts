import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

import { createChannel } from '../../channel/reader.js';
import { searchesOfBlocks } from '../../model/culprit-kind.js';
import { formatInstance } from '../../model/format.js';
import { publicCommand } from '../../model/public-command.js';
import { createRecording, type Recording } from '../../model/recording.js';
import { nothingWatchedSentence, remarksOn } from '../../model/remarks.js';
import { withKinds } from '../files/kinds.js';
import { collectSources } from '../files/source-lines.js';
import { sourceMapHint } from '../files/source-map-hint.js';
import { type OutputPaths, prepareFiles, writeFiles } from '../files/write-files.js';
import { type ProgramSource, programSource } from '../program/source.js';
import { hangThreshold } from '../program/hang-threshold.js';
import { isAlive } from '../program/is-alive.js';
import { endAs, endedByKey, finalOutcome, type Outcome } from '../program/outcome.js';
import { BlocksSoFar } from '../store/blocks-so-far.js';
import { ingestRecords } from '../store/ingest-records.js';
import { enforceLimits } from '../store/retention.js';
import { type Change, createStore, DEFAULT_LIMITS, instancesOf, lagPointsOf, type Store } from '../store/store.js';
import { createLiveView, type LiveView } from '../terminal/live-view.js';
import { endEcho, styleFor } from '../terminal/stream-style.js';
import { effectiveThreshold, failureOf } from './fail-on.js';
import { startProgram } from './start-program.js';

export interface RunOptions extends OutputPaths {
  readonly version: string;
  readonly threshold: number;
  readonly failOn?: number;
  readonly startup?: true;
  readonly quiet?: true;
  readonly color: boolean;
  readonly open?: true;
  /** Instead of starting the command: `attach` watches a process that already runs. */
  readonly execute?: (directory: string) => Promise<Outcome>;
  /** Creates the directory of the channel elsewhere: where the process that `attach` watches sees it. */
  readonly createDirectory?: () => Promise<string>;
}

const POLL_INTERVAL_MS = 100;
/** A report covers the whole run: nothing expires, and blocks are evicted only above 20,000. */
const RUN_LIMITS = { ...DEFAULT_LIMITS, retentionMs: Infinity, maxBlocks: 20_000, maxLagPoints: 100_000 };
const PREFIX = 'loopwatch ';

/** Runs the program, prints each block when it ends, and exits as the program did. */
export async function run(command: readonly string[], options: RunOptions): Promise<void> {
  const { failOn, open } = options;
  const files = await prepareFiles(options);
  const directory = await (options.createDirectory ?? createDirectory)();
  let ended: Outcome | undefined;
  try {
    const threshold = effectiveThreshold(options.threshold, failOn);
    const { recording, outcome } = await record(command, directory, { ...options, threshold }, (outcome) => {
      ended = outcome;
    });
    const allWritten = await writeFiles(recording, files, { print: say, openReport: open === true });
    const failure = failOn === undefined ? undefined : failureOf(recording, failOn);
    if (failure) say(failure);
    if (options.quiet && failOn !== undefined) {
      [nothingWatchedSentence(recording, options.execute !== undefined) ?? [], remarksOn(recording, failOn)]
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
    await rm(directory, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function createDirectory(): Promise<string> {
  try {
    return await mkdtemp(path.join(tmpdir(), 'loopwatch-'));
  } catch (cause) {
    throw unwritable(cause);
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
  directory: string,
  options: RunOptions,
  onEnd: (outcome: Outcome) => void,
): Promise<{ recording: Recording; outcome: Outcome }> {
  const store = createStore(RUN_LIMITS);
  const view = createView(store, options);
  const publish = ({ blocks }: Change): void => {
    enforceLimits(store, Date.now());
    if (!options.quiet) view.onBlocks(blocks);
  };
  const config = { thresholdMs: options.threshold, countsStartUp: options.startup === true };
  const reader = await createChannel(directory, config).catch((cause: unknown) => {
    throw unwritable(cause);
  });
  const soFar = new BlocksSoFar(store, { hangThresholdMs: hangThreshold(process.env), isAlive: livenessOf(options) });
  const poll = (hasEnded = false): void => {
    const records = reader.read();
    publish(ingestRecords(store, records));
    const nowMs = Date.now();
    for (const record of records) soFar.note(record, nowMs);
    if (!hasEnded) publish(soFar.takeHangs(nowMs));
    publish(soFar.takeCutShort(nowMs, hasEnded));
  };
  const timer = setInterval(() => {
    poll();
  }, POLL_INTERVAL_MS);
  const startedMs = Date.now();
  // The system's time may be set meanwhile.
  const startedAt = performance.now();
  // Before the program, which may change the checkout.
  const source = needsSource(options) ? programSource(process.cwd(), process.env) : undefined;
  try {
    const sayRemedy = options.quiet ? () => undefined : say;
    const start = options.execute ?? (() => startProgram(command, directory, { store, say: sayRemedy }));
    const outcome = await start(directory);
    onEnd(outcome);
    if (!options.quiet && endedByKey(outcome)) endEcho(process.stderr);
    poll(true);
    if (reader.hasLostRecords()) say(`Blocks are missing: ${directory} could not be written. Is the disk full?`);
    const durationMs = Math.round(performance.now() - startedAt);
    const recording = recordingOf(store, { command, startedMs, durationMs, outcome, options, source: await source });
    if (!options.quiet) {
      const { blocks, lag, processes } = recording;
      const hint = sourceMapHint(blocks, processes, process.env.NODE_OPTIONS, process.cwd());
      const hints = hint === undefined ? [] : [hint];
      view.summary({
        blocks,
        lag: lag.points,
        elapsedMs: durationMs,
        hints,
        remarks: remarksOn(recording, options.threshold),
        nothingWatched: nothingWatchedSentence(recording, options.execute !== undefined),
      });
    }
    return { recording, outcome };
  } finally {
    clearInterval(timer);
    reader.close();
  }
}

interface RunFacts {
  readonly command: readonly string[];
  readonly startedMs: number;
  readonly durationMs: number;
  readonly outcome: Outcome;
  readonly options: RunOptions;
  readonly source: ProgramSource | undefined;
}

/** A recording that is not kept does not need it, and the source of an attached process is not in this directory. */
function needsSource({ json, report, pprof, execute }: RunOptions): boolean {
  return execute === undefined && (json ?? report ?? pprof) !== undefined;
}

function recordingOf(store: Store, { command, startedMs, durationMs, outcome, options, source }: RunFacts): Recording {
  const blocks = [...store.blocks.values()];
  const unwatched = store.unwatched.filter(({ pid }) => !store.instances.has(String(pid)));
  return createRecording({
    loopwatchVersion: options.version,
    command: publicCommand(command),
    directory: process.cwd(),
    startedMs,
    durationMs,
    thresholdMs: options.threshold,
    exit: outcome,
    processes: instancesOf(store),
    ...(unwatched.length > 0 && { unwatchedProcesses: unwatched }),
    startUp: { counted: options.startup === true, threads: store.startUps },
    ...(store.poolWaits.length > 0 && { threadPool: store.poolWaits }),
    blocks: withKinds(blocks, searchesOfBlocks(blocks)),
    droppedBlocks: store.totals.evictedBlocks,
    lagPoints: lagPointsOf(store),
    sources: collectSources(blocks),
    ...source,
  });
}

/** Whether a process is alive. One that `attach` watches may have another id here: it is, as far as is known. */
function livenessOf({ execute }: RunOptions): (instance: string) => boolean {
  return execute === undefined ? (instance) => isAlive(Number(instance)) : () => true;
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
