import { trace, type TracerProvider } from '@opentelemetry/api';

interface ProxyLike {
  getDelegate?: () => TracerProvider;
}

/** Behind the API's proxy stands the SDK's provider, once there is one. */
export function delegateOf(provider: TracerProvider): TracerProvider {
  return (provider as ProxyLike).getDelegate?.() ?? provider;
}

/**
 * The provider to report with: the one that was set, unless it leads nowhere. The SDK may set a provider before it has
 * one (`registerInstrumentations` ahead of `start()`), and when the API is loaded in two formats, of a copy whose proxy
 * nobody fills.
 */
export function liveTracerProvider(configured: TracerProvider | undefined): TracerProvider {
  if (configured === undefined) return delegateOf(trace.getTracerProvider());
  const delegate = delegateOf(configured);
  return isNoopTracerProvider(delegate) ? delegateOf(trace.getTracerProvider()) : delegate;
}

/** Whether it is what the API falls back to: its spans have no ids, an SDK's have them whatever the sampler says. */
export function isNoopTracerProvider(provider: TracerProvider): boolean {
  const tracer = provider.getTracer('');
  // Starting a span would cost an SDK one; the class that makes spans without ids has no state at all.
  return Object.keys(tracer).length === 0;
}
