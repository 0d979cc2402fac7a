import { performance } from 'node:perf_hooks';
import { diag, type Context, type Span } from '@opentelemetry/api';
import { attempt } from './contract/guard.js';
import { OpenSpans } from './export/open-spans.js';
import { safely } from './export/safely.js';
import { threadOpenSpans } from './export/thread-open-spans.js';
import { flushThreadMonitor, onSpanEnding } from './monitor/shared-thread.js';

const now = performance.now.bind(performance);
const done = Promise.resolve();

/**
 * Finds the victims of a block: every SERVER, CONSUMER and local root span that was open while the code of another
 * request blocked gets `event_loop.blocked.wait_time` and a link to the `event-loop-blocked` span.
 *
 * Register it before the processors that export:
 *
 * ```ts
 * new NodeSDK({
 *   spanProcessors: [new EventLoopSpanProcessor(), new BatchSpanProcessor({ exporter })],
 *   instrumentations: [new EventLoopInstrumentation()],
 * });
 * ```
 *
 * It has the methods of the `SpanProcessor` of SDK 2.x and 3.x without importing it, so that this package loads without
 * an SDK.
 */
export class EventLoopSpanProcessor {
  readonly #open = new OpenSpans();
  #hasFailed = false;

  constructor() {
    threadOpenSpans.add(this.#open);
  }

  onStart(span: Span, parentContext: Context): void {
    try {
      this.#open.add(span, parentContext);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Keeps the span where a block may have delayed it. */
  onEnding(span: Span): void {
    try {
      const trackedSpan = this.#open.remove(span);
      if (trackedSpan) onSpanEnding(trackedSpan, now());
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Before SDK 2.3, nothing calls `onEnding`: a span that has ended gets no wait, and must not be taken for an open one. */
  onEnd(span: object): void {
    try {
      this.#open.remove(span as Span);
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Reports the pending blocks now, and a block that lasts as far as it goes, so that the processors after this one can
   * export their spans.
   */
  forceFlush(): Promise<void> {
    attempt(flushThreadMonitor);
    return done;
  }

  shutdown(): Promise<void> {
    attempt(flushThreadMonitor);
    attempt(() => threadOpenSpans.delete(this.#open));
    return done;
  }

  /** Logs the first error. The application's calls start and end spans, so no error of this class may reach them. */
  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    safely(() => {
      diag.warn('Failed to track delayed spans.', error);
    }, undefined);
  }
}
