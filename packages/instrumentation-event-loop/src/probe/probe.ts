import { createRequire } from 'node:module';
import process from 'node:process';
import type { Frame, Sample, ThreadTimes } from '../contract/model.js';
import { PROBE_SYMBOL, ProbeAnswer } from '../contract/probe-answers.js';
import { currentAsyncResource } from './async-resource.js';
import { functionKey, kindOf } from '../contract/frames.js';
import type { GcObserver } from './gc-observer.js';
import { mainGlobal } from './main-global.js';
import type { SampleBuffer } from './sample-buffer.js';
import { PendingResources } from './pending-resources.js';
import { stackCapture, type StackCapture } from './stack-capture.js';

export interface ProbeOptions {
  readonly samples: SampleBuffer;
  readonly gcObserver: GcObserver;
  readonly now: () => number;
  /** When the watchdog asked, on this thread's time line. */
  readonly requestedAt: () => number;
  readonly threadTimes: () => ThreadTimes | undefined;
  readonly captureContext: () => unknown;
  /** A worker thread may sleep in `Atomics.wait` as its way of being idle. */
  readonly isWorker: boolean;
  /** JSON of the `HangReport`s on the block so far. */
  readonly hangReports: () => string;
}

/** Our files as they are installed, or linked in a workspace. */
const OWN_FILE = /[\\/](@loopwatch[\\/]|instrumentation-event-loop[\\/]dist[\\/])/;

/**
 * What the watchdog runs inside the blocked code, at whatever point that has reached: it notes the stack, the active
 * context and the executing resource. It throws nothing, calls nothing of the application's, and is not re-entered.
 */
export class Probe {
  readonly #options: ProbeOptions;
  readonly #capture: StackCapture = stackCapture();
  readonly #ownFunctions = new Set<string>();
  /** Undefined in a bundle, where it is the application's file too. */
  #ownFile: string | undefined;
  readonly #pending = new PendingResources();
  readonly #isInspected = inspectedCheck();
  readonly #entry: (wantsReport?: unknown) => number | string;
  #isRunning = false;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#entry = (wantsReport) => this.#takeSample(wantsReport === true);
  }

  /** Says whether the watchdog will find it: not on a frozen `globalThis`. */
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
   * Makes the calling function one of ours. V8 answers the watchdog at the entry of the next function when a native call
   * was the last thing of a callback; when that is one of ours, the sample shows nobody.
   */
  markOwnFunction(): void {
    // eslint-disable-next-line @typescript-eslint/unbound-method -- only its identity counts
    const [caller] = this.#capture(this.markOwnFunction);
    if (!caller) return;
    this.#ownFunctions.add(functionKey(caller));
    if (OWN_FILE.test(caller.fileName)) this.#ownFile = caller.fileName;
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
      return ProbeAnswer.noJavaScript; // out of stack or memory, a poisoned prototype: a sample less
    } finally {
      this.#isRunning = false;
    }
  }

  /** The stack below the inspector's own script; empty when it stands in our own code. */
  #applicationFrames(): readonly Frame[] {
    const frames = this.#capture(this.#entry).slice(1);
    return frames.some((frame) => this.#ownFunctions.has(functionKey(frame))) || this.#isOwnCode(frames) ? [] : frames;
  }

  /** Our own work stands on top, and nobody's that it has called. */
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

/** Whether a debugger could stop this thread; false where Node has no inspector. */
function inspectedCheck(): () => boolean {
  try {
    // Not an import: it throws where Node was built without the inspector.
    const inspector = createRequire(process.execPath)('node:inspector') as { url(): string | undefined };
    return () => inspector.url() !== undefined;
  } catch {
    return () => false;
  }
}
