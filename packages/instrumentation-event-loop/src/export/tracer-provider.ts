import { trace, type TracerProvider } from '@opentelemetry/api';
import { Object } from '../contract/built-ins.js';
import { registered } from '../contract/registered-api.js';

interface ProxyLike {
  getDelegate?: () => TracerProvider;
}

/** The provider that an SDK has set for all, or a no-op. */
export function globalTracerProvider(): TracerProvider {
  return delegateOf((registered('trace') as TracerProvider | undefined) ?? trace.getTracerProvider());
}

/** The SDK's provider behind the API's proxy; the provider itself where it is not a proxy. */
export function delegateOf(provider: TracerProvider): TracerProvider {
  return (provider as ProxyLike).getDelegate?.() ?? provider;
}

/**
 * The provider to report with: the configured one, or the global one where that is missing or a no-op. The configured
 * provider stays a no-op where it is the proxy of a copy of the API that never gets a delegate. That happens where
 * `registerInstrumentations` ran before the SDK's `start()`, and the API is loaded as CommonJS and as ES module.
 */
export function liveTracerProvider(configured: TracerProvider | undefined): TracerProvider {
  if (configured === undefined) return globalTracerProvider();
  const delegate = delegateOf(configured);
  return isNoopTracerProvider(delegate) ? globalTracerProvider() : delegate;
}

/** Whether it is the API's no-op provider, not an SDK's. */
export function isNoopTracerProvider(provider: TracerProvider): boolean {
  const tracer = provider.getTracer('');
  // Starting a span to look at its id would create one in an SDK. The API's no-op tracer has no properties, an SDK's
  // has.
  return Object.keys(tracer).length === 0;
}

/** Whether the environment says that there is to be no provider. */
export function isSdkDisabled(): boolean {
  return process.env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
}
