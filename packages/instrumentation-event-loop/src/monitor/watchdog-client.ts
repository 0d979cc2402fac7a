import process from 'node:process';
import { isNativeError } from '../contract/built-ins.js';
import type { Registry } from '../contract/registry.js';
import { Asking, Header } from '../contract/registry-layout.js';
import type { PoolMessage } from '../contract/thread-pool-data.js';
import type { WatchdogSettings } from '../contract/watchdog-data.js';
import { Probe, type ProbeOptions } from '../probe/probe.js';
import { activePoolTasks, moreTasks, queuedTasks, type PoolTasks } from './pool-queue.js';
import { runningWatchdog, startWatchdog, type Watchdog } from './start-watchdog.js';
import type { Subscribers } from './subscribers.js';
import { isWatchdogRunning } from './watchdog-state.js';

const MAX_WATCHDOG_STARTS = 3;
/** Watchdog check interval, ms. A check with every heartbeat would be costly in an idle process with cold caches. */
const CHECK_INTERVAL_MS = 1000;

const LIVENESS_UNREACHABLE =
  'Expected to start the watchdog thread from the main thread, got one that a worker thread has started: GET /livez and ' +
  '/readyz are not answered. Start the instrumentation in the main thread first.';

const UNASKABLE =
  'Expected a blocked thread to answer the watchdog, got no answer in three long blocks, neither in an interrupt of V8 nor ' +
  'in a pause of its debugger: blocks are reported without stack, culprit and parent span. Lag, durations and causes stay. ' +
  `Please report it with the version of Node.js (${process.version}).`;

function undelivered(origin: string): string {
  return (
    `Expected a receiver of OTLP over HTTP at ${origin} for reports of hangs, got none that takes them. Set ` +
    'OTEL_EXPORTER_OTLP_ENDPOINT or hangExporter: { url } to where the SDK sends.'
  );
}

export interface WatchdogClientOptions {
  readonly registry: Registry;
  readonly subscribers: Subscribers;
  readonly probe: ProbeOptions;
  /** Arranges that each function of this package that the event loop calls will call `mark` once. */
  readonly markOwnFunctions: (mark: () => void) => void;
  /** Arranges that the wrapper of `Atomics.wait` will call `mark` once. */
  readonly markWrapper: (mark: () => void) => void;
}

/** Installs the probe in this thread and keeps a watchdog running in the process. */
export class WatchdogClient {
  readonly #options: WatchdogClientOptions;
  #probe: Probe | undefined;
  #watchdog: Watchdog | undefined;
  #startCount = 0;
  #checkedAt = -Infinity;
  #hasYielded = false;
  #problem: string | undefined;
  #poolTasks: PoolTasks | undefined;
  #openRequests: readonly string[] = [];
  readonly #reported = new Set<string>();

  constructor(options: WatchdogClientOptions) {
    this.#options = options;
  }

  /** Why no watchdog could start; undefined without such a failure. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether a watchdog runs that asks this thread in each block: it stops a thread only in long ones. */
  get isSampled(): boolean {
    const { registry } = this.#options;
    const asksByInterrupt = Atomics.load(registry.ints, Header.asking) <= Asking.byInterrupt;
    return this.#probe !== undefined && isWatchdogRunning(registry) && asksByInterrupt;
  }

  /**
   * Called with every heartbeat, at `now` in ms: installs the probe and starts the watchdog where they are missing. A
   * watchdog that another thread has started ends with that thread, so this check repeats.
   */
  ensureWatchdog(now: number): void {
    if (now - this.#checkedAt >= CHECK_INTERVAL_MS) this.check(now);
  }

  /** The same at once. */
  check(now: number): void {
    this.#checkedAt = now;
    const { registry, subscribers } = this.#options;
    if (this.#problem !== undefined || !subscribers.some(({ watchdog }) => watchdog)) return;
    const settings = this.#settings();
    this.#watchdog ??= runningWatchdog(registry);
    this.#watchdog?.setSettings(settings);
    this.#readPool();
    this.#shareInspection();
    if (this.#probe !== undefined && isWatchdogRunning(registry)) {
      if (settings.liveness && !this.#watchdog) this.#report(LIVENESS_UNREACHABLE);
      return;
    }
    try {
      this.#probe ??= this.#installProbe();
      this.#shareInspection();
      if (isWatchdogRunning(registry) || this.#yieldsToMainThread()) return;
      if (++this.#startCount > MAX_WATCHDOG_STARTS) throw new Error('it ended unexpectedly several times');
      this.#watchdog = startWatchdog(registry, settings, {
        onError: (error) => {
          this.#fail(error);
        },
        onLivenessProblem: ({ livenessProblem, isPortInUse }) => {
          if (!isPortInUse || !hasInheritedPort()) this.#report(livenessProblem);
        },
        onHang: (notice) => {
          subscribers.each((subscriber) => {
            subscriber.onHang(notice);
          });
        },
        onUnaskable: () => {
          this.#report(UNASKABLE);
        },
        onUndelivered: (origin) => {
          this.#report(undelivered(origin));
        },
        onPool: (message) => {
          this.#onPool(message);
        },
      });
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Takes a sample without a question of the watchdog. */
  takeSample(): void {
    this.#probe?.takeSample();
  }

  close(): void {
    this.#probe?.uninstall();
  }

  #settings(): WatchdogSettings {
    const { subscribers, probe } = this.#options;
    const hangDestinations = subscribers.each((subscriber) => subscriber.hangDestination());
    // The answer is about the main thread, so a worker's option does not count.
    const [liveness] = probe.isWorker ? [] : subscribers.each((subscriber) => subscriber.liveness);
    const noticesHangs = subscribers.some((subscriber) => subscriber.wantsHangNotices());
    const watchesPool = subscribers.some(({ threadPool }) => threadPool);
    const threadPool = watchesPool ? { thresholdMs: subscribers.thresholdMs } : undefined;
    return { hangDestinations, liveness, noticesHangs, threadPool };
  }

  /** A blocked thread cannot say whether it is debugged, so it is said before. */
  #shareInspection(): void {
    const { registry, probe } = this.#options;
    if (!probe.isWorker) Atomics.store(registry.ints, Header.isInspected, this.#probe?.isInspected === true ? 1 : 0);
  }

  #readPool(): void {
    const readings = this.#watchdog?.takePoolReadings();
    if (!readings) return;
    this.#options.subscribers.each((subscriber) => {
      if (subscriber.threadPool) subscriber.onPoolReadings(readings);
    });
  }

  /** What waits is read while the wait lasts: at its end, it waits no more. */
  #onPool(message: PoolMessage): void {
    if (!('holders' in message)) {
      const isFirst = message.poolWait === 'began';
      this.#poolTasks = moreTasks(isFirst ? undefined : this.#poolTasks, activePoolTasks());
      if (isFirst) [this.#openRequests = []] = this.#options.subscribers.each((each) => each.openRequests());
      return;
    }
    const queued = queuedTasks(this.#poolTasks ?? new Map(), message.holders);
    const starvation = { ...message, queued, requests: this.#openRequests };
    if (message.poolWait === 'ended') this.#poolTasks = undefined;
    this.#options.subscribers.each((subscriber) => {
      if (subscriber.threadPool) subscriber.onPoolStarvation(starvation);
    });
  }

  /** A watchdog ends with the thread that starts it, so a worker leaves the first start to the main thread. */
  #yieldsToMainThread(): boolean {
    if (!this.#options.probe.isWorker || this.#hasYielded) return false;
    this.#hasYielded = true;
    return this.#options.registry.hasThread(0);
  }

  #installProbe(): Probe {
    const probe = new Probe(this.#options.probe);
    if (!probe.install()) throw new Error('globalThis is frozen');
    // It can be asked at once, while this runs.
    probe.markOwnFunction();
    // Bound, not wrapped in a function: `markOwnFunction` marks the function that calls it.
    this.#options.markOwnFunctions(probe.markOwnFunction.bind(probe));
    this.#options.markWrapper(probe.markWrapper.bind(probe));
    return probe;
  }

  #fail(error: unknown): void {
    const reason = isNativeError(error) ? error.message : String(error);
    const problem =
      `No watchdog thread (${reason}): blocks are reported without stack, culprit and parent span, and hangs are not ` +
      'reported; lag, durations and spans stay.';
    this.#problem = problem;
    this.#report(problem);
  }

  /** Reports each problem once. */
  #report(problem: string): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#options.subscribers.each((subscriber) => {
      subscriber.onProblem(problem);
    });
  }
}

/**
 * Whether this is a worker of `cluster` or another forked process that has inherited the variable. Its parent, or the first
 * of the workers, has the port already, and a warning in each of the others would be noise.
 */
function hasInheritedPort(): boolean {
  return process.send !== undefined && process.env['LOOPWATCH_LIVENESS_PORT'] !== undefined;
}
