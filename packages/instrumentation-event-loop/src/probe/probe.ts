import { createRequire } from 'node:module';
import process from 'node:process';
import { functionKey, kindOf } from '../contract/frames.js';
import type { Frame, Sample, ThreadTimes } from '../contract/model.js';
import { PROBE_SYMBOL, ProbeAnswer } from '../contract/probe-answers.js';
import { currentAsyncResource } from './async-resource.js';
import type { GcObserver } from './gc-observer.js';
import { mainGlobal } from './main-global.js';
import { PendingResources } from './pending-resources.js';
import type { SampleBuffer } from './sample-buffer.js';
import { stackCapture, type StackCapture } from './stack-capture.js';

export interface ProbeOptions {
  readonly samples: SampleBuffer;
  readonly gcObserver: GcObserver;
  readonly now: () => number;
  /** When the watchdog requested the sample, as a `performance.now()` value of this thread. */
  readonly requestedAt: () => number;
  readonly threadTimes: () => ThreadTimes | undefined;
  readonly captureContext: () => unknown;
  /** An idle worker thread may sleep in `Atomics.wait`; the main thread is never idle there. */
  readonly isWorker: boolean;
  /** JSON of the `HangReport`s about the current block. */
  readonly hangReports: () => string;
}

/** Files of this package, installed or linked in a workspace. */
const OWN_FILE = /[\\/](@loopwatch[\\/]|instrumentation-event-loop[\\/]dist[\\/])/;

/**
 * The watchdog runs it inside the blocked code, which it interrupts at any point. It records the stack, the active
 * context and the executing asynchronous resource. It never throws, calls no code of the application, and is not
 * re-entrant.
 */
export class Probe {
  readonly #options: ProbeOptions;
  readonly #capture: StackCapture = stackCapture();
  readonly #ownFunctions = new Set<string>();
  readonly #wrappers = new Set<string>();
  /** The file of this package; undefined in a bundle, whose file contains application code, too. */
  #ownFile: string | undefined;
  readonly #pending = new PendingResources();
  readonly #isInspected = inspectedCheck();
  readonly #entry: (wantsReport?: unknown) => number | string;
  #isRunning = false;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#entry = (wantsReport) => this.#takeSample(wantsReport === true);
  }

  /** Publishes the probe for the watchdog; false where that fails, on a frozen `globalThis`. */
  install(): boolean {
    return Reflect.defineProperty(mainGlobal, Symbol.for(PROBE_SYMBOL), {
      value: Object.freeze(this.#entry),
      configurable: true,
      enumerable: false,
      writable: false,
    });
  }

  uninstall(): void {
    const key = Symbol.for(PROBE_SYMBOL);
    if (Reflect.getOwnPropertyDescriptor(mainGlobal, key)?.value === this.#entry)
      Reflect.deleteProperty(mainGlobal, key);
  }

  /**
   * Marks the calling function as one of this package. When a callback ends with a native call, V8 runs the probe at
   * the entry of the next function that is called. If that is a marked function, the sample does not show the code that
   * blocked.
   */
  markOwnFunction(): void {
    // eslint-disable-next-line @typescript-eslint/unbound-method -- passed by identity, never called
    const [caller] = this.#capture(this.markOwnFunction);
    if (!caller) return;
    this.#ownFunctions.add(functionKey(caller));
    if (OWN_FILE.test(caller.fileName)) this.#ownFile = caller.fileName;
  }

  /** Marks the calling function as a wrapper of a built-in: its frame is removed from the samples. */
  markWrapper(): void {
    // eslint-disable-next-line @typescript-eslint/unbound-method -- passed by identity, never called
    const [caller] = this.#capture(this.markWrapper);
    if (caller) this.#wrappers.add(functionKey(caller));
  }

  /** Returns a `ProbeAnswer`, followed by the hang reports where the watchdog asks for them. */
  #takeSample(wantsReport: boolean): number | string {
    if (this.#isRunning) return ProbeAnswer.noJavaScript;
    this.#isRunning = true;
    try {
      const { samples, gcObserver, now, requestedAt, threadTimes, captureContext, isWorker } = this.#options;
      const takenAt = now();
      const frames = this.#applicationFrames();
      const sample: Sample = {
        requestedAt: requestedAt(),
        takenAt,
        frames,
        context: captureContext(),
        asyncResource: frames.length === 0 ? '' : currentAsyncResource(),
        pending: frames[0]?.functionName === 'Atomics.wait' ? this.#pending.read() : undefined,
        threadTimes: threadTimes(),
        inspected: this.#isInspected(),
      };
      samples.add(sample);
      gcObserver.arm();
      const answer = answerOf(sample, isWorker);
      return wantsReport ? `${answer}${this.#options.hangReports()}` : answer;
    } catch {
      return ProbeAnswer.noJavaScript; // stack overflow, out of memory, or a patched built-in: this sample is lost
    } finally {
      this.#isRunning = false;
    }
  }

  /** The stack without the inspector's script on top; empty when code of this package was running. */
  #applicationFrames(): readonly Frame[] {
    const frames = this.#capture(this.#entry)
      .slice(1)
      .filter((frame) => this.#wrappers.size === 0 || !this.#wrappers.has(functionKey(frame)));
    return frames.some((frame) => this.#ownFunctions.has(functionKey(frame))) || this.#isOwnCode(frames) ? [] : frames;
  }

  /** Whether code of this package was running, not code of the application that it has called. */
  #isOwnCode(frames: readonly Frame[]): boolean {
    const [top] = frames.filter((frame) => kindOf(frame) !== 'builtin' && kindOf(frame) !== 'internal');
    return top !== undefined && top.fileName === this.#ownFile && !top.isAsync;
  }
}

function answerOf({ frames, pending }: Sample, isWorker: boolean): ProbeAnswer {
  if (frames.length === 0) return ProbeAnswer.noJavaScript;
  if (pending === undefined || !isWorker) return ProbeAnswer.running;
  return pending.length === 0 ? ProbeAnswer.asleep : ProbeAnswer.asleepWithPending;
}

/** Returns a check whether a debugger could stop this thread; it is false where Node.js has no inspector. */
function inspectedCheck(): () => boolean {
  try {
    // Required here, not imported: loading it throws where Node.js was built without the inspector.
    const inspector = createRequire(process.execPath)('node:inspector') as { url(): string | undefined };
    return () => inspector.url() !== undefined;
  } catch {
    return () => false;
  }
}
