import { Probe, PROBE_SYMBOL, type ProbeOptions } from '../probe/probe.js';
import type { Registry } from '../contract/registry.js';
import { isWatchdogRunning, startWatchdog, type Watchdog } from './start-watchdog.js';
import type { Subscribers } from './subscribers.js';

const MAX_WATCHDOG_STARTS = 3;
/** How often it is seen to that there is a watchdog, ms: not with every heartbeat of a process that has cold caches. */
const CHECK_INTERVAL_MS = 1000;

export interface WatchdogClientOptions {
  readonly registry: Registry;
  readonly subscribers: Subscribers;
  readonly probe: ProbeOptions;
  /** Has `mark` called once by each of our functions that the event loop calls. */
  readonly markOwnFunctions: (mark: () => void) => void;
}

/** This thread as the watchdog's subject: it carries a probe, and sees to it that there is a watchdog. */
export class WatchdogClient {
  readonly #options: WatchdogClientOptions;
  #probe: Probe | undefined;
  #watchdog: Watchdog | undefined;
  #starts = 0;
  #checkedAt = -Infinity;
  #hasYielded = false;
  #problem: string | undefined;

  constructor(options: WatchdogClientOptions) {
    this.#options = options;
  }

  /** Why there is no watchdog; undefined when there is one, or none is wanted. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /**
   * Called with every heartbeat, at `now` in ms: starts what is missing. The watchdog may be another thread's, and end with
   * that.
   */
  ensure(now: number): void {
    if (now - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#checkedAt = now;
    const { registry, subscribers } = this.#options;
    if (this.#problem !== undefined || !subscribers.some(({ watchdog }) => watchdog)) return;
    const hangDestinations = subscribers.each((subscriber) => subscriber.hangDestination());
    this.#watchdog?.setHangDestinations(hangDestinations);
    if (this.#probe !== undefined && isWatchdogRunning(registry)) return;
    try {
      this.#probe ??= this.#installProbe();
      if (isWatchdogRunning(registry) || this.#yieldsToMainThread()) return;
      if (++this.#starts > MAX_WATCHDOG_STARTS) throw new Error('it has ended unexpectedly, several times');
      this.#watchdog = startWatchdog(registry, PROBE_SYMBOL, hangDestinations, (error) => {
        this.#fail(error);
      });
    } catch (error) {
      this.#fail(error);
    }
  }

  close(): void {
    this.#probe?.uninstall();
  }

  /** Once, for the main thread where that is watched too: what a worker starts lives no longer than the worker. */
  #yieldsToMainThread(): boolean {
    if (!this.#options.probe.isWorker || this.#hasYielded) return false;
    this.#hasYielded = true;
    return this.#options.registry.hasThread(0);
  }

  #installProbe(): Probe {
    const probe = new Probe(this.#options.probe);
    if (!probe.install()) throw new Error('globalThis is frozen');
    // Bound and not wrapped: the function that calls it is the one to mark.
    this.#options.markOwnFunctions(probe.markOwnFunction.bind(probe));
    return probe;
  }

  #fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const problem =
      `No watchdog thread (${reason}): blocks are reported without stack, culprit and parent span, and hangs not at all; ` +
      'lag, durations and spans stay.';
    this.#problem = problem;
    this.#options.subscribers.each((subscriber) => {
      subscriber.onProblem(problem);
    });
  }
}
