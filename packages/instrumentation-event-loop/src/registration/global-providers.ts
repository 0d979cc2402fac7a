import { createNoopMeter } from '@opentelemetry/api';
import { drop } from '../contract/guard.js';
import { globalMeterProvider, isShutDown, meterOf } from '../export/meter.js';
import { globalTracerProvider, isNoopTracerProvider } from '../export/tracer-provider.js';

interface Flushable {
  forceFlush?: () => Promise<void>;
}

/** Whether an SDK has set a global tracer provider or meter provider. */
export function hasGlobalProviders(): boolean {
  return !isNoopTracerProvider(globalTracerProvider()) || meterOf(globalMeterProvider()) !== createNoopMeter();
}

/** Flushes the global providers, side by side; does not reject. */
export async function flushGlobalProviders(): Promise<void> {
  const ofSpans = flush(globalTracerProvider);
  const ofMetrics = flush(globalMeterProvider);
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
