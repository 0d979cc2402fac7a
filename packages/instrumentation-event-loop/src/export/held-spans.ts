import type { Span } from '@opentelemetry/api';
import { attempt } from '../contract/guard.js';

/** How often it is looked whether there is room, ms, and how many times: 10 s. */
const CHECK_MS = 100;
const MAX_CHECKS = 100;
/** Spans that are held at most; further ones end at once. */
const MAX_HELD = 64;

/** Schedules a callback that does not keep the process alive. */
type SetTimer = (callback: () => void, ms: number) => unknown;

interface HeldSpan {
  readonly span: Span;
  readonly endTime: number;
  checks: number;
}

/**
 * Ends this package's spans. A batch processor drops what ends while its queue is full: after a block in which thousands
 * of spans ended, that would be the span of the block. Such a span is held until there is room. Its end time is given, so
 * that it is exported later and otherwise the same.
 */
export class HeldSpans {
  readonly #setTimer: SetTimer;
  #held: HeldSpan[] = [];
  #isChecking = false;

  constructor(setTimer: SetTimer) {
    this.#setTimer = setTimer;
  }

  /** Ends the span, now or when there is room. `endTime` is a `performance.now()` value. */
  end(span: Span, endTime: number): void {
    if (this.#held.length >= MAX_HELD || hasRoom(span)) {
      span.end(endTime);
      return;
    }
    this.#held.push({ span, endTime, checks: 0 });
    this.#checkLater();
  }

  /** Ends all spans now: the telemetry is flushed, or the thread ends. */
  flush(): void {
    const held = this.#held;
    this.#held = [];
    for (const { span, endTime } of held) attempt(() => span.end(endTime));
  }

  #checkLater(): void {
    if (this.#isChecking || this.#held.length === 0) return;
    this.#isChecking = true;
    this.#setTimer(() => {
      this.#isChecking = false;
      attempt(() => this.#check());
    }, CHECK_MS);
  }

  /** Each span takes a place of the queue, so the next one looks again. */
  #check(): void {
    const held = this.#held;
    this.#held = [];
    for (const each of held) {
      each.checks++;
      if (each.checks >= MAX_CHECKS || hasRoom(each.span)) attempt(() => each.span.end(each.endTime));
      else this.#held.push(each);
    }
    this.#checkLater();
  }
}

/** The fields of the SDK's spans, `MultiSpanProcessor` and `BatchSpanProcessor`, in 2.x and 3.x. */
interface SdkFields {
  readonly _spanProcessor?: SdkFields;
  readonly _spanProcessors?: readonly SdkFields[];
  readonly _finishedSpans?: readonly unknown[];
  readonly _maxQueueSize?: number;
}

/** Whether no batch processor drops the span if it ends now; true where the SDK does not show it. */
function hasRoom(span: Span): boolean {
  return attempt(() => !isFull((span as unknown as SdkFields)._spanProcessor ?? {})) ?? true;
}

function isFull({ _spanProcessors: processors = [], _finishedSpans: queue, _maxQueueSize: size }: SdkFields): boolean {
  return (queue !== undefined && size !== undefined && queue.length >= size) || processors.some((each) => isFull(each));
}
