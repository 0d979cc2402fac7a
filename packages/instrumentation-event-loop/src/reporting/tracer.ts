import { ProxyTracerProvider, trace, type TracerProvider } from '@opentelemetry/api';

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
export function liveTracerProvider(set: TracerProvider | undefined): TracerProvider {
  if (set === undefined) return delegateOf(trace.getTracerProvider());
  const delegate = delegateOf(set);
  return isNoopTracerProvider(delegate) ? delegateOf(trace.getTracerProvider()) : delegate;
}

/** Whether it is what the API falls back to, of whichever copy of the API; minified or not, the class is the same. */
export function isNoopTracerProvider(provider: TracerProvider): boolean {
  return provider.constructor.name === new ProxyTracerProvider().getDelegate().constructor.name;
}
