import { performance } from 'node:perf_hooks';
import { diag, type Span } from '@opentelemetry/api';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { BlockHook, BlockInfo } from '../types.js';
import { callHook } from './call-hook.js';
import { safely } from './safely.js';

/** Calls of the hook that are kept; the oldest are evicted first. */
const MAX_CALLS = 64;
/** Shorter calls, in ms, cannot cause a block and are not kept. */
const MIN_CALL_MS = 1;

const performanceNow = performance.now.bind(performance);

/** Calls the user's `blockHook` and catches its errors. */
export class GuardedHook {
  /** What it returns can be a promise. */
  readonly #hook: ((...block: Parameters<BlockHook>) => unknown) | undefined;
  readonly #guard: BlockingGuard;

  constructor(hook: BlockHook | undefined, now?: () => number) {
    this.#hook = hook;
    this.#guard = new BlockingGuard('The blockHook has', 'it is not called', now);
  }

  call(span: Span, block: BlockInfo): void {
    const hook = this.#hook;
    if (!hook) return;
    this.#guard.call(block, () => {
      callHook(() => hook(span, block), 'The blockHook has thrown an error; the span is exported nevertheless.');
    });
  }
}

/**
 * Calls code of the user for blocks, but not for a block that this code has caused itself: it would block again, and
 * cause the next block without end.
 */
export class BlockingGuard {
  readonly #subject: string;
  readonly #consequence: string;
  readonly #now: () => number;
  #calls: Interval[] = [];
  #hasReported = false;

  /** `subject` and `consequence` are parts of the message about such a block. */
  constructor(subject: string, consequence: string, now: () => number = performanceNow) {
    this.#subject = subject;
    this.#consequence = consequence;
    this.#now = now;
  }

  /** Calls `run`, which must not throw, unless most of the block was spent in earlier calls. */
  call({ startTime, endTime, durationMs }: BlockSpan, run: () => void): void {
    const ownMs = overlapMs({ start: startTime, end: endTime }, this.#calls);
    if (ownMs > durationMs / 2) {
      this.#reportBlocking(ownMs);
      return;
    }
    const start = this.#now();
    run();
    const end = this.#now();
    if (end - start >= MIN_CALL_MS) this.#calls = [...this.#calls.slice(1 - MAX_CALLS), { start, end }];
  }

  #reportBlocking(ownMs: number): void {
    if (this.#hasReported) return;
    this.#hasReported = true;
    safely(() => {
      diag.warn(
        `${this.#subject} blocked the event loop itself, for ${Math.round(ownMs)} ms: ${this.#consequence} for such ` +
          'blocks. Move slow work out of it.',
      );
    }, undefined);
  }
}

type BlockSpan = Pick<BlockInfo, 'startTime' | 'endTime' | 'durationMs'>;
