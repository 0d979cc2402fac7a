import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { watchdogSource } from 'virtual:watchdog-source';
import { sharedNow } from '../contract/clock.js';
import type { HangDestination } from '../contract/hang-report.js';
import { Header } from '../contract/registry-layout.js';
import type { Registry } from '../contract/registry.js';
import type { WatchdogData } from '../contract/watchdog-data.js';
import { runInRootContext } from '../detection/root-timers.js';

/** The watchdog, for the thread that has started it. */
export interface Watchdog {
  /** Tells it where to report for threads that do not answer; cheap when nothing has changed. */
  setHangDestinations(hangDestinations: readonly HangDestination[]): void;
}

/** The worker threads that are not the application's. */
export const watchdogs = new WeakSet<Worker>();

/** Values of `Header.watchdogState`. */
const State = { none: 0, running: 1 } as const;

export function isWatchdogRunning(registry: Registry): boolean {
  return Atomics.load(registry.ints, Header.watchdogState) === State.running;
}

/** How long an exiting process waits for the watchdog to close a session, in ms. */
const CLOSE_TIMEOUT_MS = 200;

/**
 * Starts the process's watchdog thread, unless a thread of the process has done so. It keeps nothing alive, inherits no
 * preload, and says nothing. Throws when Node's permission model forbids workers or the inspector.
 */
export function startWatchdog(
  registry: Registry,
  hangDestinations: readonly HangDestination[],
  onError: (error: Error) => void,
): Watchdog | undefined {
  if (Atomics.compareExchange(registry.ints, Header.watchdogState, State.none, State.running) !== State.none) return;
  const giveUp = (): void => void Atomics.store(registry.ints, Header.watchdogState, State.none);
  try {
    assertInspectorAllowed();
    return runInRootContext(() => {
      const worker = new Worker(watchdogSource, {
        eval: true,
        name: 'loopwatch-watchdog',
        workerData: { registryBuffer: registry.buffer, hangDestinations } satisfies WatchdogData,
        // Preloads and loaders of the application would run in the watchdog, and instrument it.
        execArgv: [],
        env: environmentWithoutOptions(),
        trackUnmanagedFds: false,
        resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
      });
      watchdogs.add(worker);
      worker.on('error', onError);
      worker.on('exit', giveUp);
      worker.unref();
      let told = hangDestinations;
      return {
        setHangDestinations: (next) => {
          if (next.length === told.length && next.every((hangDestination, i) => hangDestination === told[i])) return;
          told = next;
          worker.postMessage(next);
          Atomics.add(registry.ints, Header.wake, 1);
          Atomics.notify(registry.ints, Header.wake);
        },
      };
    });
  } catch (error) {
    giveUp();
    throw error;
  }
}

/**
 * Called while the process exits: waits, briefly, until the watchdog has no session to the main thread. With one open,
 * Node would print "Waiting for the debugger to disconnect..." and wait.
 */
export function closeSessions({ ints }: Registry): void {
  Atomics.store(ints, Header.exiting, 1);
  const deadline = sharedNow() + CLOSE_TIMEOUT_MS;
  for (let open = Atomics.load(ints, Header.openSessions); open > 0; open = Atomics.load(ints, Header.openSessions)) {
    if (sharedNow() > deadline) return;
    // Interruptible: the question that is under way is answered from in here.
    Atomics.wait(ints, Header.openSessions, open, 5);
  }
  // The disconnection itself is a message to this thread, taken at its next interruption.
  Atomics.wait(ints, Header.exiting, 1, 1);
}

/** The process did not exit after all. */
export function reopenSessions({ ints }: Registry): void {
  Atomics.store(ints, Header.exiting, 0);
}

/**
 * A worker that may not inspect its parent does not get an error when it tries: Node fails an assertion and aborts the
 * whole process (`parent_handle_ != nullptr` in `Agent::ConnectToMainThread`, Node 20 to 26).
 */
function assertInspectorAllowed(): void {
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  if (permission === undefined || permission.has('inspector')) return;
  throw new Error("Node's permission model forbids the inspector; --allow-inspector, from Node 24 on, allows it");
}

function environmentWithoutOptions(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  delete env['NODE_OPTIONS'];
  return env;
}
