import { createNoopMeter, metrics, trace } from '@opentelemetry/api';
import { drop } from '../contract/guard.js';
import { delegateOf, isNoopTracerProvider } from '../export/tracer-provider.js';
import { SCOPE_NAME } from '../semconv.js';

interface Flushable {
  forceFlush?: () => Promise<void>;
  /** Of a `MeterProvider` of both SDK lines: it has been shut down, and logs a warning when it is flushed. */
  readonly _shutdown?: unknown;
}

/** Whether an SDK has set a global tracer provider or meter provider. */
export function hasGlobalProviders(): boolean {
  return (
    !isNoopTracerProvider(delegateOf(trace.getTracerProvider())) ||
    metrics.getMeterProvider().getMeter(SCOPE_NAME) !== createNoopMeter()
  );
}

/** Flushes the global providers, side by side; does not reject. */
export async function flushGlobalProviders(): Promise<void> {
  const ofSpans = flush(() => delegateOf(trace.getTracerProvider()));
  const ofMetrics = flush(() => metrics.getMeterProvider());
  try {
    await ofSpans;
    await ofMetrics;
  } catch (error) {
    drop(error); // of `await` itself, where the application has changed `Promise`
  }
}

/** Does not reject. */
async function flush(provider: () => object): Promise<void> {
  try {
    const flushable: Flushable = provider();
    if (flushable._shutdown !== true) await flushable.forceFlush?.();
  } catch (error) {
    drop(error);
  }
}
