import process from 'node:process';

import type { RecordReader } from '../../channel/reader.js';
import { searchesOfBlocks } from '../../model/advice/culprit-kind.js';
import { notKeptText } from '../../model/live/not-kept.js';
import { recordedCommand } from '../../model/processes/public-command.js';
import { createRecording, type Recording } from '../../model/recording/recording.js';
import { nothingWatchedSentence, remarksOn } from '../../model/report/remarks.js';
import { formatInstance, plural } from '../../model/text/format.js';
import type { Block } from '../../model/types.js';
import { withKinds } from '../files/kinds.js';
import { anySourceFiles, sourceFilesBelow } from '../files/source-files.js';
import { collectSources } from '../files/source-lines.js';
import { sourceMapHint } from '../files/source-map-hint.js';
import { executionReader } from '../program/execution.js';
import { hangThreshold } from '../program/hang-threshold.js';
import type { Outcome } from '../program/outcome.js';
import type { ProgramSource } from '../program/source.js';
import { OngoingBlocks } from '../store/ongoing-blocks.js';
import { UnfinishedStartUps } from '../store/unfinished-start-ups.js';
import { UnwatchedWorkers } from '../store/unwatched-workers.js';
import { ingestRecords } from '../store/ingest-records.js';
import { enforceLimits } from '../store/retention.js';
import {
  busyPeriodsOf,
  type Change,
  createStore,
  DEFAULT_LIMITS,
  instancesOf,
  lagPointsOf,
  type Limits,
  type Store,
} from '../store/store.js';
import type { EndedFirst } from '../terminal/block-line.js';
import { createLiveView, type LiveView } from '../terminal/live-view.js';
import { PREFIX, say } from '../terminal/output.js';
import { styleFor } from '../terminal/stream-style.js';
import type { SessionOptions, Watched, WatchSession } from './watched.js';

const POLL_INTERVAL_MS = 100;
/** For how long the rest of the records is read in the end. */
const MAX_REST_MS = 1000;
/** A report covers the whole run: nothing expires, and blocks are evicted only above 20,000. */
export const RUN_LIMITS: Limits = {
  ...DEFAULT_LIMITS,
  retentionMs: Infinity,
  maxBlocks: 20_000,
  maxBytes: 768 * 1024 * 1024,
  // No fewer than `ingestRecords` takes: the first one is the program itself.
  maxInstances: 10_000,
  maxThreads: 20_000,
  maxLagPoints: 100_000,
};

/** Takes in the records of what is watched, prints its blocks, and makes the recording in the end. */
export class Session implements WatchSession {
  readonly store = createStore(RUN_LIMITS);
  readonly #watched: Watched;
  readonly #options: SessionOptions;
  readonly #view: LiveView;
  readonly #ongoing: OngoingBlocks;
  /** None of processes that ran already. */
  readonly #startUps: UnfinishedStartUps | undefined;
  readonly #unwatchedWorkers = new UnwatchedWorkers();
  #startedMs = Date.now();
  // The system's time may be set meanwhile.
  #startedAt = performance.now();
  #readsSources = true;

  constructor(watched: Watched, options: SessionOptions) {
    this.#watched = watched;
    this.#options = options;
    const isAlive = (instance: string): boolean => watched.isAlive(instance);
    const isStopped = (instance: string): boolean => watched.isStopped(instance);
    const hangThresholdMs = hangThreshold(process.env);
    const ongoing = new OngoingBlocks(this.store, { hangThresholdMs, isAlive, isStopped });
    this.#ongoing = ongoing;
    this.#startUps = watched.isAttached ? undefined : new UnfinishedStartUps(executionReader());
    this.#view = createView(this.store, options, (block) => {
      if (ongoing.hasThreadEnded(block)) return 'thread';
      return isAlive(block.instance) ? undefined : 'process';
    });
  }

  /** Watches until the end. `onEnd` learns of it before the rest of the records is read. */
  async record(onEnd: (outcome: Outcome) => void): Promise<{ recording: Recording; outcome: Outcome }> {
    const { reader, recordsPlace, source } = this.#watched;
    const timer = setInterval(() => {
      this.#poll();
    }, POLL_INTERVAL_MS);
    this.begin();
    try {
      const end = await this.#watched.watch(this);
      const durationMs = Math.round(performance.now() - this.#startedAt);
      onEnd(end.outcome);
      this.#poll(true);
      for (const problem of problemsOf(reader, recordsPlace)) say(problem);
      const recording = this.#recordingOf(durationMs, end.exit, await source);
      if (!this.#options.quiet) this.#printSummary(recording);
      return { recording, outcome: end.outcome };
    } finally {
      clearInterval(timer);
      reader.close();
    }
  }

  begin(): void {
    [this.#startedMs, this.#startedAt] = [Date.now(), performance.now()];
  }

  leaveSourcesAlone(): void {
    this.#readsSources = false;
  }

  isMainBlocked(pid: number): boolean {
    return this.#ongoing.isMainBlocked(String(pid));
  }

  #poll(hasEnded = false): void {
    const { reader } = this.#watched;
    const startedAt = performance.now();
    this.#readRecords();
    while (hasEnded && reader.unreadBytes > 0 && performance.now() - startedAt < MAX_REST_MS) this.#readRecords();
    const nowMs = Date.now();
    if (!hasEnded) {
      this.#publish(this.#ongoing.takeHangs(nowMs));
      this.#watched.onRead?.(this.#ongoing);
    }
    this.#publish(this.#ongoing.takeCutShort(nowMs, hasEnded));
  }

  #readRecords(): void {
    const records = this.#watched.reader.read();
    this.#publish(ingestRecords(this.store, records));
    const nowMs = Date.now();
    for (const record of records) {
      this.#ongoing.note(record, nowMs);
      this.#startUps?.note(record, performance.now());
      this.#unwatchedWorkers.note(record);
      this.#watched.onRecord?.(record);
    }
    this.#startUps?.look(performance.now());
  }

  #publish({ blocks }: Change): void {
    enforceLimits(this.store, Date.now());
    if (!this.#options.quiet) this.#view.onBlocks(blocks);
  }

  #printSummary(recording: Recording): void {
    const { blocks, lag, processes, durationMs } = recording;
    const hint = this.#readsSources
      ? sourceMapHint(blocks, processes, process.env.NODE_OPTIONS, process.cwd())
      : undefined;
    this.#view.summary({
      blocks,
      lag: lag.points,
      elapsedMs: durationMs,
      hints: hint === undefined ? [] : [hint],
      remarks: [remarksOn(recording, this.#options.threshold), notKeptText(this.store.totals.notKept) ?? []].flat(),
      nothingWatched: nothingWatchedSentence(recording, this.#watched.isAttached),
    });
  }

  #recordingOf(durationMs: number, exit: Recording['exit'], source: ProgramSource | undefined): Recording {
    const { store } = this;
    const { version, threshold, startup, withArguments } = this.#options;
    const blocks = [...store.blocks.values()];
    const files = this.#readsSources ? anySourceFiles() : sourceFilesBelow([]);
    const unwatched = store.unwatched.filter(
      ({ pid, reason }) => reason === 'outlives_program' || !store.instances.has(String(pid)),
    );
    const problems = [...store.problems, ...this.#unwatchedWorkers.problems];
    return createRecording({
      loopwatchVersion: version,
      command: recordedCommand(this.#watched.command, withArguments === true),
      directory: process.cwd(),
      startedMs: this.#startedMs,
      durationMs,
      thresholdMs: threshold,
      exit,
      processes: instancesOf(store),
      ...(unwatched.length > 0 && { unwatchedProcesses: unwatched }),
      ...(problems.length > 0 && { problems }),
      startUp: { counted: startup === true, threads: [...store.startUps, ...(this.#startUps?.all ?? [])] },
      ...(store.poolWaits.size > 0 && { threadPool: [...store.poolWaits.values()] }),
      blocks: withKinds(blocks, files, searchesOfBlocks(blocks)),
      droppedBlocks: store.totals.evictedBlocks,
      lagPoints: lagPointsOf(store),
      busyPeriods: busyPeriodsOf(store),
      sources: collectSources(blocks, files),
      ...source,
    });
  }
}

/** Why the recording may not be whole. */
function problemsOf(reader: RecordReader, place: string): string[] {
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

function createView(
  store: Store,
  { color }: SessionOptions,
  endedFirst: (block: Block) => EndedFirst | undefined,
): LiveView {
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
    endedFirst,
  });
}
