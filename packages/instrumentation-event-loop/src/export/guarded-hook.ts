import { performance } from 'node:perf_hooks';
import { diag, type Span } from '@opentelemetry/api';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { BlockHook, BlockInfo } from '../types.js';
import { safely } from './safely.js';

/** Calls of the hook that are remembered. */
const MAX_CALLS = 64;
/** Shorter calls, in ms, make no block. */
const MIN_CALL_MS = 1;

const performanceNow = performance.now.bind(performance);

/**
 * The user's hook. What it throws stays here. A hook that blocks makes a block of its own, and is not called for that: it
 * would block again, for ever.
 */
export class GuardedHook {
  readonly #hook: BlockHook | undefined;
  readonly #now: () => number;
  #calls: Interval[] = [];
  #hasReported = false;

  constructor(hook: BlockHook | undefined, now: () => number = performanceNow) {
    this.#hook = hook;
    this.#now = now;
  }

  call(span: Span, block: BlockInfo): void {
    if (!this.#hook) return;
    const hookMs = overlapMs({ start: block.startTime, end: block.endTime }, this.#calls);
    if (hookMs > block.durationMs / 2) {
      this.#reportBlocking(hookMs);
      return;
    }
    const start = this.#now();
    try {
      this.#hook(span, block);
    } catch (error) {
      safely(() => {
        diag.error('The blockHook has thrown; the span is sent as it is.', error);
      }, undefined);
    }
    const end = this.#now();
    if (end - start >= MIN_CALL_MS) this.#calls = [...this.#calls.slice(1 - MAX_CALLS), { start, end }];
  }

  #reportBlocking(hookMs: number): void {
    if (this.#hasReported) return;
    this.#hasReported = true;
    safely(() => {
      diag.warn(
        `The blockHook has blocked the event loop itself, for ${Math.round(hookMs)} ms: it is not called for such ` +
          'blocks. Have it do less.',
      );
    }, undefined);
  }
}
