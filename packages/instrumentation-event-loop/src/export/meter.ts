import { createNoopMeter, metrics, type Meter, type MeterProvider } from '@opentelemetry/api';
import { registered } from '../contract/registered-api.js';
import { SCOPE_NAME } from '../semconv.js';
import { PACKAGE_VERSION } from '../version.js';

/** The provider that an SDK has set for all, or a no-op. */
export function globalMeterProvider(): MeterProvider {
  return (registered('metrics') as MeterProvider | undefined) ?? metrics.getMeterProvider();
}

/** This package's meter. A provider that is shut down is not asked: the SDK would log a warning each time. */
export function meterOf(provider: MeterProvider): Meter {
  return isShutDown(provider) ? createNoopMeter() : provider.getMeter(SCOPE_NAME, PACKAGE_VERSION);
}

/** By a property of the `MeterProvider` of both SDK lines. */
export function isShutDown(provider: object): boolean {
  return (provider as { readonly _shutdown?: unknown })._shutdown === true;
}
