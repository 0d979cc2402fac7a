import { createNoopMeter, metrics, trace } from '@opentelemetry/api';
import { drop } from '../contract/guard.js';
import { isShutDown, meterOf } from '../export/meter.js';
import { delegateOf, isNoopTracerProvider } from '../export/tracer-provider.js';

interface Flushable {
  forceFlush?: () => Promise<void>;
}

/** Whether an SDK has set a global tracer provider or meter provider. */
export function hasGlobalProviders(): boolean {
  return (
    !isNoopTracerProvider(delegateOf(trace.getTracerProvider())) ||
    meterOf(metrics.getMeterProvider()) !== createNoopMeter()
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
    // A meter provider would log a warning.
    if (!isShutDown(flushable)) await flushable.forceFlush?.();
  } catch (error) {
    drop(error);
  }
}
