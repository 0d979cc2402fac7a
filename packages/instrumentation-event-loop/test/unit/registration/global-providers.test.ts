import { afterEach, expect, jest, test } from '@jest/globals';
import { diag, DiagLogLevel, metrics, type DiagLogger } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

import { flushGlobalProviders } from '../../../src/registration/global-providers.ts';

afterEach(() => {
  metrics.disable();
  diag.disable();
});

test('a meter provider that the application has shut down is not flushed: it would log a warning', async () => {
  const warn = jest.fn();
  diag.setLogger({ warn } as unknown as DiagLogger, DiagLogLevel.WARN);
  const provider = new MeterProvider();
  const forceFlush = jest.spyOn(provider, 'forceFlush');
  metrics.setGlobalMeterProvider(provider);
  await flushGlobalProviders();
  expect(forceFlush).toHaveBeenCalledTimes(1);
  await provider.shutdown();
  await flushGlobalProviders();
  expect(warn).not.toHaveBeenCalled();
});
