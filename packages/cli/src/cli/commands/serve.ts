import process from 'node:process';

import { newVersionLookup } from '../../model/blocks/new-version.js';
import { saturationSentences } from '../../model/delays/saturation.js';
import { poolSentence, poolSentences } from '../../model/delays/thread-pool.js';
import { notKeptText } from '../../model/live/not-kept.js';
import { showInBrowser } from '../files/browser.js';
import { withKinds } from '../files/kinds.js';
import {
  type SourceDirectory,
  sourceDirectory,
  type SourceFiles,
  sourceFilesBelow,
  startDirectory,
} from '../files/source-files.js';
import { guarded } from '../http/failures.js';
import { addressOf } from '../http/host.js';
import { type RunningServer, startServer } from '../http/server.js';
import { isEveryAddress, isLoopbackAddress } from '../http/visitors.js';
import { createEventStream, EVENT_INTERVAL_MS } from '../live-page/event-stream.js';
import { createPageRoutes } from '../live-page/routes.js';
import { addressWith, TOKEN_VARIABLE, tokenFor } from '../live-page/token.js';
import { createOtlpRoutes } from '../otlp/routes.js';
import { ingestMetrics } from '../store/ingest-metrics.js';
import { ingestSpans } from '../store/ingest-spans.js';
import type { Keeper } from '../store/keeper.js';
import { awaitsRequest } from '../store/request-name.js';
import { enforceLimits } from '../store/retention.js';
import { type Change, createStore, DEFAULT_LIMITS, instancesOf, lagPointsOf, type Store } from '../store/store.js';
import { createLiveView, type LiveView } from '../terminal/live-view.js';
import { styleFor } from '../terminal/stream-style.js';
import { stopSignal } from './stop-signal.js';

export interface ServeOptions {
  readonly version: string;
  readonly host: string;
  readonly port: number;
  readonly print?: true;
  readonly color: boolean;
  readonly retentionMs: number;
  readonly keep?: string;
  /** Directories below which source is shown. */
  readonly source?: readonly string[];
  readonly jaeger?: string;
  readonly open?: true;
}

const FLUSH_INTERVAL_MS = 250;
const KEEP_INTERVAL_MS = 1_000;
const LIMITS_INTERVAL_MS = 5_000;

/** Receives OTLP and shows it until a signal stops it. */
export async function serve(options: ServeOptions): Promise<void> {
  const startedMs = Date.now();
  const address = await addressOf(options.host);
  const isLoopback = isLoopbackAddress(address);
  const token = tokenFor(isLoopback, process.env[TOKEN_VARIABLE]);
  const files = sourceFilesBelow(directoriesOf(options, isLoopback));
  const store = createStore({ ...DEFAULT_LIMITS, retentionMs: options.retentionMs });
  const view = options.print ? createPrinter(store, options.color) : undefined;

  const events = createEventStream(files);
  const keeper = options.keep === undefined ? undefined : await keep(options.keep, store);
  enforceLimits(store, startedMs);
  // The page shows restored data too; the summary covers this run only.
  const restored = new Set<unknown>([...store.blocks.keys(), ...[...store.lag.values()].flat()]);

  const remarks = (): string[] => [keeper?.problem ?? [], loopRemarks(store), poolRemarks(store)].flat();
  const publish = (change: Change): void => {
    enforceLimits(store, Date.now());
    events.publish(change);
    keeper?.add(change);
    view?.onBlocks(change.blocks);
  };
  // A signal that comes as soon as the address is printed must not lose anything.
  const stopped = Promise.race([stopSignal(process.stdout), readerLeft()]);
  const timers: NodeJS.Timeout[] = [];
  const every = (intervalMs: number, act: () => void): void => {
    timers.push(setInterval(guarded(act), intervalMs));
  };
  let server: RunningServer | undefined;
  try {
    server = await startServer({
      address,
      name: options.host,
      port: options.port,
      handlers: [
        createOtlpRoutes({
          onSpans: (groups) => {
            publish(ingestSpans(store, groups, Date.now()));
          },
          onMetrics: (metrics) => {
            publish(ingestMetrics(store, metrics, Date.now()));
          },
        }),
        createPageRoutes(store, events, {
          version: options.version,
          startedMs,
          jaegerUrl: options.jaeger,
          files,
          token,
          remarks,
        }),
      ],
    });
    every(FLUSH_INTERVAL_MS, () => view?.flush());
    every(EVENT_INTERVAL_MS, () => {
      events.flush(store.totals, remarks());
    });
    every(KEEP_INTERVAL_MS, () => keeper?.flush());
    every(LIMITS_INTERVAL_MS, () => {
      enforceLimits(store, Date.now());
    });
    const page = isEveryAddress(address) ? `http://localhost:${server.port}` : server.url;
    announce(server.url, page, token);
    if (options.open) void showInBrowser(addressWith(page, token), say);
    await stopped;
  } finally {
    timers.forEach(clearInterval);
    events.close();
    await server?.close();
    keeper?.close();
  }
  if (view) summarise(view, store, { startedMs, restored, files });
}

function createPrinter(store: Store, color: boolean): LiveView {
  return createLiveView({
    write: (line) => {
      console.log(line);
    },
    style: styleFor(process.stdout, color),
    sourceOf: (block) => (store.instances.size > 1 ? store.instances.get(block.instance)?.service : undefined),
    awaitsRequest: (block) => awaitsRequest(store, block),
  });
}

interface ServedRun {
  readonly startedMs: number;
  /** The blocks and points that an earlier run has kept. */
  readonly restored: ReadonlySet<unknown>;
  readonly files: SourceFiles;
}

function summarise(view: LiveView, store: Store, { startedMs, restored, files }: ServedRun): void {
  const blocks = [...store.blocks.values()];
  view.summary({
    blocks: withKinds(
      blocks.filter(({ id }) => !restored.has(id)),
      files,
    ),
    lag: [...store.lag.values()].flat().filter((point) => !restored.has(point)),
    elapsedMs: Date.now() - startedMs,
    remarks: [loopRemarks(store), poolRemarks(store), notKeptText(store.totals.notKept) ?? []].flat(),
    newIn: newVersionLookup({
      instances: instancesOf(store),
      lag: lagPointsOf(store),
      blocks,
      droppedBlocks: store.totals.evictedBlocks,
    }),
  });
}

function loopRemarks(store: Store): string[] {
  return saturationSentences(store.saturations.values(), store.instances);
}

function poolRemarks({ instances, poolWaits }: Store): string[] {
  const services = new Set([...instances.values()].map(({ service }) => service));
  if (services.size > 1) return poolSentences(poolWaits.values(), (id) => instances.get(id)?.service);
  return [poolSentence([...poolWaits.values()]) ?? []].flat();
}

/** Loads SQLite only when it is needed. */
async function keep(file: string, store: Store): Promise<Keeper> {
  const { startKeeping } = await import('../store/keeper.js');
  return startKeeping({ file, store, say });
}

function say(line: string): void {
  process.stderr.write(`loopwatch: ${line}\n`);
}

/** On an address that others reach, source is shown only where the user says so. */
function directoriesOf({ source }: ServeOptions, isLoopback: boolean): SourceDirectory[] {
  if (source !== undefined) return source.map(sourceDirectory);
  return isLoopback ? startDirectory(process.cwd()) : [];
}

function announce(url: string, page: string, token: string | undefined): void {
  if (token === undefined) {
    console.log(`Loopwatch listens on ${url} (live page and OTLP/HTTP). Press Ctrl+C to stop.`);
    return;
  }
  console.log(`Loopwatch listens on ${url} (OTLP/HTTP). Press Ctrl+C to stop.`);
  const elsewhere = page === url ? '' : ' (on another machine, with the name of this one)';
  console.log(`The live page wants its token: ${addressWith(page, token)}${elsewhere}`);
}

/**
 * Resolves when the reader of stdout has gone, as with `| head`. Of another error, such as a full disk, the user learns once:
 * serving goes on.
 */
function readerLeft(): Promise<void> {
  let hasSaidProblem = false;
  return new Promise((resolve) => {
    process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE') resolve();
      else if (!hasSaidProblem) say(`Cannot write to stdout, and goes on: ${message}`);
      hasSaidProblem = true;
    });
  });
}
