import { createNoopMeter, metrics, trace } from '@opentelemetry/api';
import { delegateOf, isNoopTracerProvider } from '../export/tracer-provider.js';
import { SCOPE_NAME } from '../semconv.js';

interface Flushable {
  forceFlush?: () => Promise<void>;
}

/** Whether an SDK has set a global tracer provider or meter provider. */
export function hasGlobalProviders(): boolean {
  return (
    !isNoopTracerProvider(delegateOf(trace.getTracerProvider())) ||
    metrics.getMeterProvider().getMeter(SCOPE_NAME) !== createNoopMeter()
  );
}

/** Flushes the global providers; does not throw. */
export async function flushGlobalProviders(): Promise<void> {
  const providers = [delegateOf(trace.getTracerProvider()), metrics.getMeterProvider()] as Flushable[];
  await Promise.allSettled(providers.map(async (provider) => provider.forceFlush?.()));
}
