import process from 'node:process';

import { newVersionOf } from '../../model/new-version.js';
import { notKeptText } from '../../model/not-kept.js';
import { withKinds } from '../files/kinds.js';
import { createEventStream, EVENT_INTERVAL_MS } from '../live-page/event-stream.js';
import { createPageRoutes } from '../live-page/routes.js';
import { createOtlpRoutes } from '../otlp/routes.js';
import { startServer } from '../http/server.js';
import { ingestMetrics } from '../store/ingest-metrics.js';
import { ingestSpans } from '../store/ingest-spans.js';
import type { Keeper } from '../store/keeper.js';
import { awaitsRequest } from '../store/request-name.js';
import { enforceLimits } from '../store/retention.js';
import { type Change, createStore, DEFAULT_LIMITS, instancesOf, lagPointsOf, type Store } from '../store/store.js';
import { createLiveView, type LiveView } from '../terminal/live-view.js';
import { endEcho, styleFor } from '../terminal/stream-style.js';

export interface ServeOptions {
  readonly version: string;
  readonly host: string;
  readonly port: number;
  readonly print?: true;
  readonly color: boolean;
  readonly retentionMs: number;
  readonly keep?: string;
  readonly jaeger?: string;
  readonly open?: true;
}

const FLUSH_INTERVAL_MS = 250;
const KEEP_INTERVAL_MS = 1_000;
const LIMITS_INTERVAL_MS = 5_000;

/** Receives OTLP and shows it until a signal stops it. */
export async function serve(options: ServeOptions): Promise<void> {
  const startedMs = Date.now();
  const store = createStore({ ...DEFAULT_LIMITS, retentionMs: options.retentionMs });
  const view = options.print ? createPrinter(options) : undefined;

  const events = createEventStream();
  const keeper = options.keep === undefined ? undefined : await keep(options.keep, store);
  enforceLimits(store, startedMs);
  // The page shows restored data too; the summary covers this run only.
  const restored = new Set<unknown>([...store.blocks.keys(), ...[...store.lag.values()].flat()]);

  const remarks = (): string[] => [keeper?.problem ?? []].flat();
  const publish = (change: Change): void => {
    enforceLimits(store, Date.now());
    events.publish(change);
    keeper?.add(change);
    view?.onBlocks(change.blocks);
  };
  // A signal that comes as soon as the address is printed must not lose anything.
  const stopped = stopSignal();
  const server = await startServer({
    host: options.host,
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
      createPageRoutes(store, events, { version: options.version, startedMs, jaegerUrl: options.jaeger, remarks }),
    ],
  });
  console.log(`Loopwatch listens on ${server.url} (live page and OTLP/HTTP). Press Ctrl+C to stop.`);
  if (options.open) await (await import('open')).default(server.url);

  const timers = [
    setInterval(() => view?.flush(), FLUSH_INTERVAL_MS),
    setInterval(() => {
      events.flush(store.totals, remarks());
    }, EVENT_INTERVAL_MS),
    setInterval(() => keeper?.flush(), KEEP_INTERVAL_MS),
    setInterval(() => {
      enforceLimits(store, Date.now());
    }, LIMITS_INTERVAL_MS),
  ];
  await stopped;
  timers.forEach(clearInterval);
  events.close();
  await server.close();
  keeper?.close();
  view?.summary({
    blocks: withKinds([...store.blocks.values()].filter(({ id }) => !restored.has(id))),
    lag: [...store.lag.values()].flat().filter((point) => !restored.has(point)),
    elapsedMs: Date.now() - startedMs,
    remarks: [notKeptText(store.totals.notKept) ?? []].flat(),
    newIn: (culprit) =>
      newVersionOf(culprit, {
        instances: instancesOf(store),
        lag: lagPointsOf(store),
        blocks: [...store.blocks.values()],
        droppedBlocks: store.totals.evictedBlocks,
      }),
  });

  function createPrinter({ color }: ServeOptions): LiveView {
    return createLiveView({
      write: (line) => {
        console.log(line);
      },
      style: styleFor(process.stdout, color),
      sourceOf: (block) => (store.instances.size > 1 ? store.instances.get(block.instance)?.service : undefined),
      awaitsRequest: (block) => awaitsRequest(store, block),
    });
  }
}

/** Loads SQLite only when it is needed. */
async function keep(file: string, store: Store): Promise<Keeper> {
  const { startKeeping } = await import('../store/keeper.js');
  return startKeeping({ file, store, say: (line) => void process.stderr.write(`loopwatch: ${line}\n`) });
}

/** Resolves on a stop signal, or when the reader of stdout has gone, as with `| head`. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.on('error', () => {
      resolve();
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        if (signal === 'SIGINT') endEcho(process.stdout);
        resolve();
      });
    }
  });
}
