import { Reflect } from '../contract/built-ins.js';
import { kindOf } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';
import { wrapFunction } from '../contract/wrap-function.js';
import type { StackCapture } from '../probe/stack-capture.js';

export interface SleepObserver {
  /** Called right before the thread sleeps between two tasks. */
  onSleep(): void;
  /** Called after a sleep that began at `start` and ended a task, or came between two. */
  onWake(start: number): void;
  /** Called with an error of our own code; must not throw itself. */
  onError(error: unknown): void;
}

export interface SleepOptions {
  readonly now: () => number;
  readonly captureStack: StackCapture;
  readonly observer: SleepObserver;
}

/** How long after a checkpoint the next sleep is looked at, ms: a lock may be taken thousands of times a second. */
const MIN_MS = 5;
/** A sleep of this length, ms, ends the work before it, wherever it takes place. */
const LONG_SLEEP_MS = 20;

type Wait = (this: unknown, ...args: Parameters<typeof Atomics.wait>) => ReturnType<typeof Atomics.wait>;

/**
 * Wraps `Atomics.wait` of a worker thread. A pool worker sleeps there between two tasks, inside an iteration of its loop
 * that may never end, so the loop's own checkpoints never come. The stack shows a sleep between two tasks: only the file of
 * the pool is on it. Returns a function that removes the wrapper, and one that makes the
 * wrapper call `mark` once.
 */
export function observeSleeps({ now, captureStack, observer }: SleepOptions): {
  remove: () => void;
  markWrapper: (mark: () => void) => void;
} {
  let boundaryAt = -Infinity; // the first sleep ends the start-up
  let pendingMark: (() => void) | undefined;
  let wrapper: Wait | undefined;
  const isBetweenTasks = (): boolean => wrapper !== undefined && areOfOneFile(captureStack(wrapper));
  const guarded = (callback: () => boolean): boolean => {
    try {
      return callback();
    } catch (error) {
      observer.onError(error);
      return false;
    }
  };
  const beforeSleep = (start: number): boolean => {
    if (start - boundaryAt < MIN_MS || !isBetweenTasks()) return false;
    observer.onSleep();
    return true;
  };
  const afterSleep = (start: number, wasReported: boolean): boolean => {
    const end = now();
    const isBoundary = wasReported || end - start >= LONG_SLEEP_MS || (end - start >= MIN_MS && isBetweenTasks());
    if (!isBoundary) return false;
    boundaryAt = end;
    observer.onWake(start);
    return true;
  };
  const remove = wrapFunction<Wait>(Atomics, 'wait', (original) => {
    wrapper = function (...args) {
      if (pendingMark) {
        const mark = pendingMark;
        pendingMark = undefined;
        try {
          mark(); // marks the function that calls it
        } catch (error) {
          observer.onError(error);
        }
      }
      const start = now();
      const wasReported = guarded(() => beforeSleep(start));
      try {
        return Reflect.apply(original, this, args);
      } finally {
        guarded(() => afterSleep(start, wasReported));
      }
    };
    return wrapper;
  });
  return {
    remove,
    markWrapper: (mark) => {
      pendingMark = mark;
    },
  };
}

/** Whether all code on the stack that is not Node's own is of one file. */
function areOfOneFile(stack: readonly Frame[]): boolean {
  const files = stack
    .filter((frame) => !frame.isAsync && ['application', 'dependency'].includes(kindOf(frame)))
    .map(({ fileName }) => fileName);
  return files.length > 0 && files.every((file) => file === files[0]);
}
