import { performance } from 'node:perf_hooks';
import { diag, type Context, type Span } from '@opentelemetry/api';
import { safely } from './export/safely.js';
import { threadOpenSpans } from './export/thread-open-spans.js';
import { OpenSpans } from './export/open-spans.js';
import { attributePendingDelays, flushThreadMonitor } from './monitor/shared-monitor.js';

const now = performance.now.bind(performance);

/**
 * Finds the victims: every SERVER, CONSUMER and local-root span that was open during a block of somebody else's making gets
 * `event_loop.blocked.wait_time` and a link to the `event-loop-blocked` span.
 *
 * Register it ahead of the processors that export:
 *
 * ```ts
 * new NodeSDK({ spanProcessors: [new EventLoopSpanProcessor(), new BatchSpanProcessor({ exporter })], instrumentations: [new EventLoopInstrumentation()] });
 * ```
 *
 * Written against the `SpanProcessor` of both SDK lines, so that no SDK is needed to load this package.
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

  /** The last moment in which a span takes attributes. */
  onEnding(span: Span): void {
    try {
      const trackedSpan = this.#open.remove(span);
      if (trackedSpan) attributePendingDelays(trackedSpan, now());
    } catch (error) {
      this.#fail(error);
    }
  }

  onEnd(): void {
    // All was done in `onEnding`.
  }

  /** Tells the blocks that wait for their verdict, so that the processors after this one can export them. */
  forceFlush(): Promise<void> {
    flushThreadMonitor();
    return Promise.resolve();
  }

  shutdown(): Promise<void> {
    flushThreadMonitor();
    threadOpenSpans.delete(this.#open);
    return Promise.resolve();
  }

  /** The application starts and ends spans: nothing of ours may throw into that. Told once. */
  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    safely(() => {
      diag.warn('Who waited for a block could not be followed.', error);
    }, undefined);
  }
}
