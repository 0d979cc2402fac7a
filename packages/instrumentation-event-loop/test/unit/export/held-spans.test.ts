import { trace } from '@opentelemetry/api';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { HeldSpans } from '../../../src/export/held-spans.js';
import { Recorder } from '../support/tracing.js';

const QUEUE = 4;
const CHECKS = 100;

/** Its first export lasts until it is released. */
class SlowExporter {
  readonly exported: string[] = [];
  readonly #isReleased: Promise<void>;
  release = (): void => undefined;

  constructor() {
    this.#isReleased = new Promise((resolve) => (this.release = resolve));
  }

  export(spans: readonly ReadableSpan[], onResult: (result: { code: number }) => void): void {
    this.exported.push(...spans.map(({ name }) => name));
    void this.#isReleased.then(() => {
      onResult({ code: 0 });
    });
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

let exporter: SlowExporter;
let due: (() => void)[];
let held: HeldSpans;

beforeEach(() => {
  exporter = new SlowExporter();
  due = [];
  held = new HeldSpans((callback) => due.push(callback));
});

function provider(...before: SpanProcessor[]): TracerProvider {
  const options = { exporter, maxQueueSize: QUEUE, maxExportBatchSize: 2, scheduledDelayMillis: 1 };
  return new TracerProvider({ spanProcessors: [...before, new BatchSpanProcessor(options)] });
}

/** A processor before the one that exports, which sees every end. */
function ending(onEnd: (span: ReadableSpan) => void): SpanProcessor {
  const done = (): Promise<void> => Promise.resolve();
  return { onStart: () => undefined, onEnd, forceFlush: done, shutdown: done };
}

function flood(by: TracerProvider): void {
  for (let i = 0; i < 3 * QUEUE; i++) by.getTracer('app').startSpan('resolve').end();
}

function end(by: TracerProvider, name = 'event-loop-blocked'): void {
  held.end(by.getTracer('own').startSpan(name, { startTime: performance.now() - 100 }), performance.now());
}

function check(): void {
  for (const callback of due.splice(0)) callback();
}

describe('a span that ends', () => {
  test('while the queue of the batch processor is full is exported once there is room', async () => {
    const by = provider();
    flood(by);
    end(by);
    check();
    exporter.release();
    await by.forceFlush();
    expect(exporter.exported).not.toContain('event-loop-blocked');
    check();
    await by.forceFlush();
    expect(exporter.exported.filter((name) => name === 'event-loop-blocked')).toHaveLength(1);
    expect(due).toEqual([]);
  });

  test('without it is lost', async () => {
    const by = provider();
    flood(by);
    by.getTracer('own').startSpan('event-loop-blocked').end();
    exporter.release();
    await by.forceFlush();
    expect(exporter.exported).toContain('resolve');
    expect(exporter.exported).not.toContain('event-loop-blocked');
  });

  test('is held where the full processor is one of several', () => {
    const by = provider(ending(() => undefined));
    flood(by);
    end(by);
    expect(due).toHaveLength(1);
  });

  test('ends at once where there is room, or the SDK does not show its queue', () => {
    const recorder = new Recorder();
    end(recorder.provider);
    expect(recorder.spans()).toHaveLength(1);
    end(provider());
    held.end(trace.getTracer('none').startSpan('none'), performance.now());
    expect(due).toEqual([]);
  });

  test('ends with a flush, and at last without room', () => {
    const ended: string[] = [];
    const full = provider(ending(({ name }) => ended.push(name)));
    flood(full);
    ended.length = 0;
    end(full, 'flushed');
    held.flush();
    expect(ended).toEqual(['flushed']);
    end(full, 'late');
    for (let i = 1; i < CHECKS; i++) check();
    expect(ended).toEqual(['flushed']);
    check();
    expect(ended).toEqual(['flushed', 'late']);
    check();
    expect(due).toEqual([]);
  });

  test('is exported with the end that it had, however late', async () => {
    const durations: number[] = [];
    const seen = provider(ending(({ duration }) => durations.push(duration[0] * 1000 + duration[1] / 1e6)));
    flood(seen);
    durations.length = 0;
    end(seen);
    await new Promise((resolve) => setTimeout(resolve, 50));
    held.flush();
    expect(durations).toEqual([expect.closeTo(100, 0)]);
  });

  test('ends where the SDK throws at it, and the next one is not lost', () => {
    const recorder = new Recorder();
    const broken = recorder.provider.getTracer('own').startSpan('broken');
    Object.defineProperty(broken, '_spanProcessor', {
      get: () => {
        throw new Error('a throwing getter');
      },
    });
    expect(() => {
      held.end(broken, performance.now());
    }).toThrow('a throwing getter');
    end(recorder.provider);
    expect(recorder.spans()).toHaveLength(1);
  });
});
