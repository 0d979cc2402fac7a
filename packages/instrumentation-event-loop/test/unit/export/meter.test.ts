import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createNoopMeter, diag, DiagLogLevel, type DiagLogger } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

import { EventLoopMetrics } from '../../../src/export/metrics.ts';
import { meterOf } from '../../../src/export/meter.ts';
import { ThreadPoolReporter } from '../../../src/export/thread-pool-reporter.ts';
import { heldSpans } from '../support/tracing.js';

const warn = jest.fn();

beforeEach(() => {
  warn.mockClear();
  diag.setLogger({ warn } as unknown as DiagLogger, DiagLogLevel.WARN);
});

afterEach(() => {
  diag.disable();
});

test('the meter of a provider that is shut down records nothing', async () => {
  const provider = new MeterProvider();
  expect(meterOf(provider)).not.toBe(createNoopMeter());
  await provider.shutdown();
  expect(meterOf(provider)).toBe(createNoopMeter());
});

test('what is measured first after the shutdown of the SDK makes it log no warning', async () => {
  const provider = new MeterProvider();
  await provider.shutdown();
  new ThreadPoolReporter(heldSpans()).record(provider, { waits: [{ waitMs: 3, lane: 'any' }], busyShare: 0.5 });
  new EventLoopMetrics(true, () => []).recordLags(provider, [3], 'main');
  expect(warn).not.toHaveBeenCalled();
});
