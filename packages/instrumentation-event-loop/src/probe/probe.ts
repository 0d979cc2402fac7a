import { executionAsyncId } from 'node:async_hooks';
import type { BusyAnswer } from '../contract/busy-time-data.js';
import type { ContextReader } from '../contract/context-reader.js';
import type { Frame, Sample, ThreadTimes } from '../contract/model.js';
import { BUSY_QUESTION, LIMIT_QUESTION, PROBE_SYMBOL, ProbeAnswer } from '../contract/probe-answers.js';
import { readTogether } from '../contract/thread-times.js';
import { currentAsyncResource, isInEndedTimer } from './async-resource.js';
import type { GcMeter } from './gc-meter.js';
import { inspectedCheck } from './inspected-check.js';
import { InterruptedStack, isSleepInCall } from './interrupted-stack.js';
import { mainGlobal } from './main-global.js';
import { PendingResources } from './pending-resources.js';
import type { SampleBuffer } from './sample-buffer.js';

/** In a shorter time, ms, the thread has not lost the CPU: another one would have got it for longer. */
const MIN_WAIT_MS = 1;

export interface ProbeOptions {
  readonly samples: SampleBuffer;
  readonly gcMeter: GcMeter;
  readonly now: () => number;
  /** When the watchdog asked for the sample; times are `performance.now()` values of this thread. */
  readonly question: () => Pick<Sample, 'requestedAt' | 'sentAt' | 'sentRunQueueMs'>;
  /** When the loop last passed a checkpoint. */
  readonly checkpointAt: () => number;
  /** Called when the thread begins and ends to answer. */
  readonly onAnswering: (isAnswering: boolean) => void;
  readonly threadTimes: () => ThreadTimes | undefined;
  readonly contexts: ContextReader;
  /** This package is bundled into a file that contains no code of an application. */
  readonly isOwnBundle: boolean;
  /** An idle worker thread may sleep in `Atomics.wait`; the main thread is never idle there. */
  readonly isWorker: boolean;
  /** How many immediates of this package keep the loop running. */
  readonly ownImmediates: () => number;
  /** Reports the block so far where the thread is about to be terminated. */
  readonly reportIfEnding: () => void;
  readonly busy: BusyRecorder;
  /** Called with the frames of each answer. */
  readonly onFrames: (frames: readonly Frame[]) => void;
  /** JSON of the `HangReport`s about the current block. */
  readonly hangReports: () => string;
}

/** What the thread answers to each question. */
type Answer = Omit<BusyAnswer, 'arrivals' | 'weightMs'>;

/** Takes the answers that divide the time of the loop. */
export interface BusyRecorder {
  /** Number of arrivals that no answer has counted yet; they count for the one that takes them. */
  takeArrivals(): number;
  /** The same as `ProbeOptions.question`, of the question of `BusySampler`. */
  question(): ReturnType<ProbeOptions['question']>;
  /** Called in interrupted code. */
  add(answer: Answer & Pick<BusyAnswer, 'arrivals'>): void;
  /** The thread has worked so long on its answer to a question of `BusySampler`. */
  onAnswered(ms: number): void;
}

/**
 * The watchdog runs it inside the blocked code, which it interrupts at any point. It records the stack, the active
 * context and the executing asynchronous resource. It never throws, calls no code of the application, and is not
 * re-entrant.
 *
 * Nothing that it calls executes a regular expression, up to the hang reports; ESLint forbids them in these files. V8
 * may have been interrupted within one of the application. Until V8 12 (Node.js 20 and 22), another one then overwrites
 * its captures, so that `replace` returns wrong text, reads beyond its string, or crashes the process. On every version
 * it overwrites `RegExp.$1` and the like.
 */
export class Probe {
  readonly #options: ProbeOptions;
  readonly #stack: InterruptedStack;
  readonly #pending = new PendingResources();
  readonly #isInspected = inspectedCheck();
  readonly #entry: (wanted?: unknown) => number | string;
  #isRunning = false;
  #isFirst = true;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#stack = new InterruptedStack(options.isOwnBundle);
    this.#entry = (wanted) => {
      if (wanted === LIMIT_QUESTION) return this.#findLimitedScript();
      return wanted === BUSY_QUESTION ? this.#answerBusy() : this.#takeSample(wanted === true);
    };
  }

  /** Publishes the probe for the watchdog; false where that fails, on a frozen `globalThis`. */
  install(): boolean {
    return Reflect.defineProperty(mainGlobal(), Symbol.for(PROBE_SYMBOL), {
      value: Object.freeze(this.#entry),
      configurable: true,
      enumerable: false,
      writable: false,
    });
  }

  uninstall(): void {
    const key = Symbol.for(PROBE_SYMBOL);
    if (Reflect.getOwnPropertyDescriptor(mainGlobal(), key)?.value === this.#entry)
      Reflect.deleteProperty(mainGlobal(), key);
  }

  /** Whether a debugger could stop this thread. */
  get isInspected(): boolean {
    return this.#isInspected();
  }

  /** Takes a sample of the code that this package has interrupted. */
  takeSample(): void {
    this.#entry();
  }

  /** Marks the calling function as one of this package that the event loop calls. */
  markOwnFunction(): void {
    // eslint-disable-next-line @typescript-eslint/unbound-method -- passed by identity, never called
    this.#stack.addOwnFunction(this.markOwnFunction);
  }

  /** Marks the calling function as a wrapper of a built-in: its frame is removed from the samples. */
  markWrapper(): void {
    // eslint-disable-next-line @typescript-eslint/unbound-method -- passed by identity, never called
    this.#stack.addWrapper(this.markWrapper);
  }

  /** Returns a `ProbeAnswer`, followed by the hang reports where the watchdog asks for them. */
  #takeSample(wantsReport: boolean): number | string {
    return this.#answer(() => {
      const { samples, gcMeter, question, checkpointAt, contexts, isWorker } = this.#options;
      const answer = this.#capture(question(), true);
      const { requestedAt, sentAt = requestedAt, takenAt, frames, context } = answer;
      const sample: Sample = {
        ...answer,
        passedCheckpoint: checkpointAt() > sentAt,
        asyncResource: frames.length === 0 ? '' : currentAsyncResource(),
        asyncId: executionAsyncId(),
        pending:
          frames[0] && isSleepInCall(frames[0])
            ? this.#pending.read({
                isInOpenSpan: isWorker && contexts.hasOpenSpan(context),
                isInEndedTimer: isInEndedTimer(),
                ownImmediates: this.#options.ownImmediates(),
              })
            : undefined,
        inspected: this.#isInspected(),
      };
      samples.add(sample);
      this.#countArrivals(answer);
      this.#options.onFrames(answer.frames);
      gcMeter.onAnswer(sentAt, takenAt, wantsReport);
      this.#options.reportIfEnding();
      const code = answerOf(sample, isWorker);
      return wantsReport ? `${code}${this.#options.hangReports()}` : code;
    });
  }

  /** Answers for the time of the loop: the answer is no sample of a block, and measures nothing of one. */
  #answerBusy(): number | string {
    return this.#answer(() => {
      const { busy } = this.#options;
      const answer = this.#capture(busy.question(), false);
      this.#countArrivals(answer);
      this.#options.onFrames(answer.frames);
      this.#options.reportIfEnding();
      busy.onAnswered(this.#workedMs(answer.takenAt, answer.threadTimes));
      return answer.frames.length === 0 ? ProbeAnswer.noJavaScript : ProbeAnswer.running;
    });
  }

  /** For how long this thread has worked since then: without its wait for a CPU, which an overloaded host makes long. */
  #workedMs(since: number, before: ThreadTimes | undefined): number {
    const { now, threadTimes } = this.#options;
    const ms = now() - since;
    if (ms < MIN_WAIT_MS) return ms;
    const waitedMs = (threadTimes()?.runQueueMs ?? NaN) - (before?.runQueueMs ?? NaN);
    if (!(waitedMs > 0)) return ms;
    return waitedMs < ms ? ms - waitedMs : 0;
  }

  #capture(question: ReturnType<ProbeOptions['question']>, isOfBlock: boolean): Answer {
    const { now, threadTimes, contexts } = this.#options;
    const { at: takenAt, times } = readTogether(now, threadTimes);
    const frames = this.#stack.frames(this.#entry);
    const answer = {
      ...question,
      takenAt,
      isFirst: this.#isFirst,
      frames,
      context: contexts.active(isOfBlock),
      threadTimes: times,
    };
    this.#isFirst = false;
    return answer;
  }

  #answer(answer: () => number | string): number | string {
    if (this.#isRunning) return ProbeAnswer.noJavaScript;
    this.#isRunning = true;
    const { onAnswering } = this.#options;
    try {
      onAnswering(true);
      return answer();
    } catch {
      return ProbeAnswer.noJavaScript; // stack overflow, out of memory, or a patched built-in: this answer is lost
    } finally {
      this.#isRunning = false;
      onAnswering(false);
    }
  }

  /** What has arrived counts for this answer, whatever it was asked for. */
  #countArrivals(answer: Answer): void {
    const { busy } = this.#options;
    const arrivals = busy.takeArrivals();
    if (arrivals > 0) busy.add({ ...answer, arrivals });
  }

  /**
   * Called after V8 has terminated an answer, which skips each `finally`. A script of `node:vm` may have a time limit, and
   * is on the stack by its caller in Node.
   */
  #findLimitedScript(): ProbeAnswer {
    this.#isRunning = false;
    this.#options.onAnswering(false);
    return this.#stack.isInLimitedScript(this.#entry) ? ProbeAnswer.running : ProbeAnswer.noJavaScript;
  }
}

function answerOf({ frames, pending }: Sample, isWorker: boolean): ProbeAnswer {
  if (frames.length === 0) return ProbeAnswer.noJavaScript;
  if (pending === undefined || !isWorker) return ProbeAnswer.running;
  return pending.length === 0 ? ProbeAnswer.asleep : ProbeAnswer.asleepWithPending;
}
