import { performance } from 'node:perf_hooks';
import { diag, type Span } from '@opentelemetry/api';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { BlockHook, BlockInfo, StartUpHook, StartUpInfo } from '../types.js';
import { safely } from './safely.js';

/** Calls of the hook that are kept; the oldest are evicted first. */
const MAX_CALLS = 64;
/** Shorter calls, in ms, cannot cause a block and are not kept. */
const MIN_CALL_MS = 1;

/** Calls the user's hook and catches its errors. */
export function callStartUpHook(hook: StartUpHook | undefined, startUp: StartUpInfo): void {
  try {
    hook?.(Object.freeze({ ...startUp }));
  } catch (error) {
    safely(() => {
      diag.error('The startUpHook has thrown an error.', error);
    }, undefined);
  }
}

const performanceNow = performance.now.bind(performance);

/**
 * Calls the user's hook and catches its errors. The hook is not called for a block that it has caused itself: it would
 * block again, and cause the next block without end.
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
        diag.error('The blockHook has thrown an error; the span is exported nevertheless.', error);
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
          'blocks. Move slow work out of the hook.',
      );
    }, undefined);
  }
}
