import { Worker } from 'node:worker_threads';
import { sharedNow } from '../contract/clock.js';
import { SeenField } from '../contract/liveness-data.js';
import type {
  LivenessData,
  LivenessInput,
  LivenessOutput,
  LivenessProblem,
  LivenessSettings,
} from '../contract/liveness-data.js';
import { holdStandardDescriptors } from '../contract/standard-descriptors.js';

/** A thread that ends sooner than this after its start is started again only after this time, ms; others at once. */
const RESTART_MS = 5000;

/** What blocks the main thread, and since when on the shared clock. */
export interface OngoingBlock {
  readonly blockedSince: number;
  readonly culprit: string | undefined;
}

/**
 * The thread that answers `GET /livez` and `GET /readyz`, as the watchdog sees it. In a thread of its own, the server
 * waits for requests at no cost. In the watchdog, it would need iterations of its event loop, and a sleep in `Atomics.wait`
 * costs a fraction of one.
 */
export class LivenessThread {
  readonly #source: string;
  readonly #registryBuffer: SharedArrayBuffer;
  readonly #onProblem: (problem: LivenessProblem) => void;
  readonly #restartMs: number;
  readonly #seen = new Float64Array(new SharedArrayBuffer(SeenField.length * Float64Array.BYTES_PER_ELEMENT));
  #settings: LivenessSettings | undefined;
  #worker: Worker | undefined;
  #isStarting = false;
  #restartTimer: NodeJS.Timeout | undefined;
  #culprit: string | undefined;

  /** `source` is the liveness thread's program. */
  constructor(
    source: string,
    registryBuffer: SharedArrayBuffer,
    onProblem: (problem: LivenessProblem) => void,
    restartMs = RESTART_MS,
  ) {
    this.#source = source;
    this.#registryBuffer = registryBuffer;
    this.#onProblem = onProblem;
    this.#restartMs = restartMs;
  }

  get isOn(): boolean {
    return this.#settings !== undefined;
  }

  /** It has started and has not reported yet: the watchdog must receive its messages. */
  get isStarting(): boolean {
    return this.#isStarting;
  }

  setSettings(settings: LivenessSettings | undefined): void {
    this.#settings = settings;
    clearTimeout(this.#restartTimer);
    if (!settings) this.#stop();
    else if (this.#worker) this.#post({ settings });
    else this.#start(settings);
  }

  /** Called each time that the watchdog has looked at the threads; undefined while the main thread is not blocked. */
  setBlock(block: OngoingBlock | undefined): void {
    const blockedSince = block?.blockedSince ?? 0;
    const isSame = this.#seen[SeenField.blockedSince] === blockedSince;
    this.#seen[SeenField.blockedSince] = blockedSince;
    this.#seen[SeenField.lookedAt] = sharedNow();
    if (isSame && this.#culprit === block?.culprit) return;
    this.#culprit = block?.culprit;
    if (this.#culprit !== undefined) this.#post({ culprit: this.#culprit, blockedSince });
  }

  #start(settings: LivenessSettings): void {
    const startedAt = sharedNow();
    // For the descriptors of its event loop, and for the sockets of requests, which arrive at any time.
    holdStandardDescriptors();
    try {
      const worker = new Worker(this.#source, {
        eval: true,
        name: 'loopwatch-liveness',
        workerData: {
          registryBuffer: this.#registryBuffer,
          seen: this.#seen.buffer,
          settings,
        } satisfies LivenessData,
        execArgv: [],
        env: {},
        stdout: true, // else Node.js would open the streams of the watchdog's thread
        stderr: true,
        trackUnmanagedFds: false,
        resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
      });
      this.#worker = worker;
      this.#isStarting = true;
      this.#culprit = undefined;
      worker.on('message', (output: LivenessOutput) => {
        this.#isStarting = false;
        if (output !== 'listens') this.#onProblem(output);
      });
      worker.on('error', (error: Error) => {
        this.#fail(error);
      });
      worker.on('exit', () => {
        if (this.#worker === worker) this.#restart(startedAt);
      });
      worker.unref();
    } catch (error) {
      this.#fail(error);
      this.#restart(startedAt);
    }
  }

  #restart(startedAt: number): void {
    this.#worker = undefined;
    this.#isStarting = false;
    const restart = (): void => {
      if (this.#settings) this.#start(this.#settings);
    };
    // At once without a timer: the watchdog's event loop iterates once a second.
    if (sharedNow() - startedAt >= this.#restartMs) restart();
    else this.#restartTimer = setTimeout(restart, this.#restartMs);
  }

  #stop(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isStarting = false;
    void worker?.terminate();
  }

  #post(input: LivenessInput): void {
    this.#worker?.postMessage(input);
  }

  #fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#onProblem({
      livenessProblem: `Expected a thread that answers GET /livez and /readyz, got: ${reason}. It is started again.`,
      isPortInUse: false,
    });
  }
}
