import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

import { HEADER_PROCESS } from '../../channel/contract.js';
import { createChannel } from '../../channel/reader.js';
import { formatInstance } from '../../model/format.js';
import { createRecording, type Recording } from '../../model/recording.js';
import { collectSources } from '../files/source-lines.js';
import { writeFiles } from '../files/write-files.js';
import { startServer } from '../http/server.js';
import { createOtlpRoutes } from '../otlp/routes.js';
import { runProgram } from '../program/child.js';
import { programEnvironment } from '../program/environment.js';
import { endAs, finalOutcome, type Outcome } from '../program/outcome.js';
import { ingestRecords } from '../store/ingest-records.js';
import { ingestSpans } from '../store/ingest-spans.js';
import { enforceLimits } from '../store/retention.js';
import { type Change, createStore, DEFAULT_LIMITS, instancesOf, lagPointsOf, type Store } from '../store/store.js';
import { createLiveView, type LiveView } from '../terminal/live-view.js';
import { styleFor } from '../terminal/stream-style.js';
import { failureOf } from './fail-on.js';

export interface RunOptions {
  readonly version: string;
  readonly threshold: number;
  readonly report?: string;
  readonly json?: string;
  readonly speedscope?: string;
  readonly failOn?: number;
  readonly quiet?: true;
  readonly color: boolean;
  readonly open?: true;
  /** Instead of starting the command: `attach` watches a process that already runs. */
  readonly execute?: (directory: string) => Promise<Outcome>;
}

const POLL_INTERVAL_MS = 100;
/** A report covers the whole run: nothing expires, and blocks are evicted only above 20,000. */
const RUN_LIMITS = { ...DEFAULT_LIMITS, retentionMs: Infinity, maxBlocks: 20_000, maxLagPoints: 100_000 };
const PREFIX = 'loopwatch ';

/** Runs the program, prints each block when it ends, and exits as the program did. */
export async function run(command: readonly string[], options: RunOptions): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-'));
  try {
    const { recording, outcome } = await record(command, directory, options);
    await writeFiles(recording, options, say);
    const failure = options.failOn === undefined ? undefined : failureOf(recording, options.failOn);
    if (failure) say(failure);
    endAs(finalOutcome(outcome, failure !== undefined));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function record(
  command: readonly string[],
  directory: string,
  options: RunOptions,
): Promise<{ recording: Recording; outcome: Outcome }> {
  const store = createStore(RUN_LIMITS);
  const view = createView(store, options);
  const publish = (change: Change): void => {
    enforceLimits(store, Date.now());
    if (!options.quiet) view.onBlocks(change.blocks);
  };
  const hangReceiver = await startServer({
    host: '127.0.0.1',
    port: 0,
    handlers: [
      createOtlpRoutes({
        onSpans: (groups, headers) => {
          const instance = headers[HEADER_PROCESS];
          publish(ingestSpans(store, groups, Date.now(), typeof instance === 'string' ? instance : undefined));
        },
        onMetrics: () => undefined,
      }),
    ],
  });
  const reader = await createChannel(directory, { thresholdMs: options.threshold, hangUrl: hangReceiver.url });
  const poll = (): void => {
    publish(ingestRecords(store, reader.read()));
  };
  const timer = setInterval(poll, POLL_INTERVAL_MS);
  const startedMs = Date.now();
  try {
    const start = options.execute ?? (() => runProgram(command, programEnvironment(process.env, directory)));
    const outcome = await start(directory);
    poll();
    const durationMs = Date.now() - startedMs;
    const recording = recordingOf(store, { command, startedMs, durationMs, outcome, options });
    if (!options.quiet) view.summary({ blocks: recording.blocks, lag: recording.lag.points, elapsedMs: durationMs });
    return { recording, outcome };
  } finally {
    clearInterval(timer);
    reader.close();
    await hangReceiver.close();
  }
}

interface RunFacts {
  readonly command: readonly string[];
  readonly startedMs: number;
  readonly durationMs: number;
  readonly outcome: Outcome;
  readonly options: RunOptions;
}

function recordingOf(store: Store, { command, startedMs, durationMs, outcome, options }: RunFacts): Recording {
  const blocks = [...store.blocks.values()];
  return createRecording({
    loopwatchVersion: options.version,
    command,
    directory: process.cwd(),
    startedMs,
    durationMs,
    thresholdMs: options.threshold,
    exit: outcome,
    processes: instancesOf(store),
    blocks,
    droppedBlocks: store.totals.evictedBlocks,
    lagPoints: lagPointsOf(store),
    sources: collectSources(blocks),
  });
}

function createView(store: Store, { color }: RunOptions): LiveView {
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
  });
}

function say(line: string): void {
  process.stderr.write(`${PREFIX}${line}\n`);
}
