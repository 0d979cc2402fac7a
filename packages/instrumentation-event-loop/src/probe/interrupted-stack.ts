import { functionKey } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';
import { placeEvaluated } from './evaluated-code.js';
import { FramePool } from './frame-pool.js';
import { LoaderCheck } from './loader-check.js';
import { OwnFrames } from './own-frames.js';
import { stackCapture, type StackCapture } from './stack-capture.js';

/** A function of the stack: what it calls is left out. It is passed by identity, and never called. */
type Called = Parameters<StackCapture>[0];

/** The stack of the code that the probe interrupts. */
export class InterruptedStack {
  readonly #capture: StackCapture = stackCapture();
  readonly #framePool = new FramePool();
  readonly #ownFrames: OwnFrames;
  readonly #loaders = new LoaderCheck();
  readonly #wrappers = new Set<string>();

  constructor(isOwnBundle: boolean) {
    this.#ownFrames = new OwnFrames(isOwnBundle);
  }

  /** The stack without the inspector's script on top, or all other code that has interrupted a sleep. */
  frames(entry: Called): readonly Frame[] {
    const stack = this.#capture(entry, this.#loaders.mayBeCompiled);
    const frames = stack
      .slice(Math.max(1, stack.findIndex(isSleepInCall)))
      .filter((frame) => this.#wrappers.size === 0 || !this.#wrappers.has(functionKey(frame)));
    return this.#ownFrames.mark(this.#framePool.share(frames)).map(placeEvaluated);
  }

  /** Whether a script of `node:vm` runs, which may have a time limit: it is on the stack by its caller in Node. */
  isInLimitedScript(entry: Called): boolean {
    return this.#capture(entry).some(({ fileName }) => fileName.startsWith('node:vm'));
  }

  /** Marks the caller of `called` as a function of this package that the event loop calls. */
  addOwnFunction(called: Called): void {
    const [caller] = this.#capture(called);
    if (caller) this.#ownFrames.addEntry(caller);
  }

  /** Marks the caller of `called` as a wrapper of a built-in: its frame is left out. */
  addWrapper(called: Called): void {
    const [caller] = this.#capture(called);
    if (caller) this.#wrappers.add(functionKey(caller));
  }
}

export function isSleepInCall({ functionName }: Pick<Frame, 'functionName'>): boolean {
  return functionName === 'Atomics.wait';
}
