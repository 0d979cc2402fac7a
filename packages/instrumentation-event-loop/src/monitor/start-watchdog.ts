import process from 'node:process';
import type { Worker } from 'node:worker_threads';
import { livenessSource, watchdogSource } from 'virtual:watchdog-source';
import type { HangNotice } from '../contract/hang-report.js';
import { OwnWorker } from '../contract/built-ins.js';
import { guarded } from '../contract/guard.js';
import { Header } from '../contract/registry-layout.js';
import type { Registry } from '../contract/registry.js';
import { canUnrefPorts, withOriginalMethods, withOwnPorts } from '../contract/original-methods.js';
import { holdStandardDescriptors } from '../contract/standard-descriptors.js';
import { unrefWorker } from '../contract/unref.js';
import { withUnseenWorkers } from '../contract/unseen-worker.js';
import type { LivenessProblem } from '../contract/liveness-data.js';
import { createPoolBuffer, type PoolMessage, type PoolReadings } from '../contract/thread-pool-data.js';
import type { WatchdogData, WatchdogMessage, WatchdogSettings } from '../contract/watchdog-data.js';
import { runInRootContext } from '../detection/root-timers.js';
import { assertAddressSpace, assertInspectorExists, assertWorkersRun } from './inspector-check.js';
import { PoolReader } from './pool-reader.js';
import { WatchdogState, watchdogs } from './watchdog-state.js';

/** The watchdog, as the thread that has started it sees it. */
export interface Watchdog {
  /** Sends the settings, if they have changed. */
  setSettings(settings: WatchdogSettings): void;
  /** What it has measured of libuv's thread pool since the last call. */
  takePoolReadings(): PoolReadings | undefined;
}

export interface WatchdogEvents {
  onError(error: Error): void;
  onLivenessProblem(problem: LivenessProblem): void;
  onHang(notice: HangNotice): void;
  onUnaskable(): void;
  /** `origin`: of a receiver that does not take the reports of hangs. */
  onUndelivered(origin: string): void;
  onPool(message: PoolMessage): void;
}

/** The watchdog that this thread has started, until it ends. */
let own: { readonly registry: Registry; readonly watchdog: Watchdog } | undefined;

/** The running watchdog, if this thread has started it for that registry. */
export function runningWatchdog({ buffer }: Registry): Watchdog | undefined {
  return own?.registry.buffer === buffer ? own.watchdog : undefined;
}

/**
 * Starts the watchdog thread, unless one runs in this process already. The watchdog does not keep the process alive,
 * loads no preload of the application, and writes nothing to stdout or stderr. Throws where Node.js permits no worker,
 * has no inspector, or could not reserve the memory of a worker.
 */
export function startWatchdog(
  registry: Registry,
  settings: WatchdogSettings,
  events: WatchdogEvents,
): Watchdog | undefined {
  if (
    Atomics.compareExchange(registry.ints, Header.watchdogState, WatchdogState.none, WatchdogState.running) !==
    WatchdogState.none
  )
    return;
  const giveUp = (): void => {
    Atomics.store(registry.ints, Header.isWatching, 0);
    Atomics.store(registry.ints, Header.watchdogState, WatchdogState.none);
  };
  // Until the thread has opened the descriptors of its event loop.
  const release = holdStandardDescriptors();
  try {
    assertInspectorExists();
    assertWorkersRun();
    assertAddressSpace();
    if (!canUnrefPorts) throw new Error('MessagePort.prototype.unref is not that of Node.js');
    return runInRootContext(() => {
      const poolBuffer = createPoolBuffer();
      const worker = createWorker(registry, settings, poolBuffer);
      watchdogs.add(worker);
      worker.once('online', guarded(release));
      worker.on(
        'error',
        guarded((error: Error) => {
          events.onError(error);
        }),
      );
      worker.on(
        'exit',
        guarded(() => {
          release();
          own = undefined;
          Atomics.store(registry.ints, Header.openSessions, 0); // no exit waits for those of a thread that has died
          giveUp();
        }),
      );
      const onMessage = guarded((message: WatchdogMessage) => {
        handOn(message, events);
      });
      withOriginalMethods(() => worker.on('message', onMessage));
      unrefWorker(worker);
      const watchdog = watchdogOf(worker, registry, settings, new PoolReader(poolBuffer));
      own = { registry, watchdog };
      return watchdog;
    });
  } catch (error) {
    release();
    giveUp();
    throw error;
  }
}

function createWorker(registry: Registry, settings: WatchdogSettings, poolBuffer: WatchdogData['poolBuffer']): Worker {
  const workerData = {
    registryBuffer: registry.buffer,
    settings,
    livenessSource,
    script: scriptOfProcess(),
    poolBuffer,
  } satisfies WatchdogData;
  return withOwnPorts(() =>
    withUnseenWorkers(
      () =>
        new OwnWorker(watchdogSource, {
          eval: true,
          name: 'loopwatch-watchdog',
          workerData,
          // Without these, preloads and loaders of the application would run in the watchdog and instrument it.
          execArgv: [],
          env: watchdogEnvironment(),
          // Else Node.js opens the standard streams of the application, and adds its listeners there.
          stdout: true,
          stderr: true,
          trackUnmanagedFds: false,
          resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
        }),
    ),
  );
}

function handOn(message: WatchdogMessage, events: WatchdogEvents): void {
  if ('livenessProblem' in message) events.onLivenessProblem(message);
  else if ('poolWait' in message) events.onPool(message);
  else if ('unaskable' in message) events.onUnaskable();
  else if ('undelivered' in message) events.onUndelivered(message.undelivered);
  else events.onHang(message);
}

function watchdogOf(worker: Worker, { ints }: Registry, settings: WatchdogSettings, poolReader: PoolReader): Watchdog {
  let sent = settings;
  return {
    takePoolReadings: () => poolReader.take(),
    setSettings: (next) => {
      if (isSame(next, sent)) return;
      sent = next;
      worker.postMessage(next);
      Atomics.add(ints, Header.wake, 1);
      Atomics.notify(ints, Header.wake);
    },
  };
}

function isSame(a: WatchdogSettings, b: WatchdogSettings): boolean {
  return (
    a.liveness === b.liveness &&
    a.noticesHangs === b.noticesHangs &&
    a.threadPool?.thresholdMs === b.threadPool?.thresholdMs &&
    a.hangDestinations.length === b.hangDestinations.length &&
    a.hangDestinations.every((hangDestination, i) => hangDestination === b.hangDestinations[i])
  );
}

/** The watchdog's own arguments say nothing of the program, which may have replaced what it has here. */
function scriptOfProcess(): string | undefined {
  const script: unknown = process.argv[1];
  return typeof script === 'string' ? script : undefined;
}

function watchdogEnvironment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  delete env['NODE_OPTIONS'];
  // Else Node.js collects the coverage of the watchdog, too, and writes a file more at its end.
  delete env['NODE_V8_COVERAGE'];
  return env;
}
