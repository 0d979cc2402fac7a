import { afterEach, expect, test } from '@jest/globals';
import { EventLoopInstrumentation } from '../../src/instrumentation.js';

const created: EventLoopInstrumentation[] = [];

afterEach(() => {
  for (const instrumentation of created.splice(0)) instrumentation.disable();
  delete process.env['OTEL_SDK_DISABLED'];
});

function create(config: ConstructorParameters<typeof EventLoopInstrumentation>[0] = {}): EventLoopInstrumentation {
  const instrumentation = new EventLoopInstrumentation({ watchdog: false, ...config });
  created.push(instrumentation);
  return instrumentation;
}

test('isEnabled() is true after the construction and follows enable() and disable()', () => {
  const instrumentation = create();
  expect(instrumentation.isEnabled()).toBe(true);
  instrumentation.disable();
  expect(instrumentation.isEnabled()).toBe(false);
  instrumentation.disable();
  instrumentation.enable();
  instrumentation.enable();
  expect(instrumentation.isEnabled()).toBe(true);
});

test('isEnabled() stays true when setConfig() changes an option, and is false when it disables', () => {
  const instrumentation = create();
  instrumentation.setConfig({ watchdog: false, blockedThresholdMs: 200 });
  expect(instrumentation.isEnabled()).toBe(true);
  instrumentation.setConfig({ watchdog: false, enabled: false });
  expect(instrumentation.isEnabled()).toBe(false);
});

test('isEnabled() stays false with enabled: false, also when the SDK enables it', () => {
  const instrumentation = create({ enabled: false });
  expect(instrumentation.isEnabled()).toBe(false);
  instrumentation.enable();
  expect(instrumentation.isEnabled()).toBe(false);
});

test('isEnabled() stays false with OTEL_SDK_DISABLED=true', () => {
  process.env['OTEL_SDK_DISABLED'] = 'true';
  const instrumentation = create();
  instrumentation.enable();
  expect(instrumentation.isEnabled()).toBe(false);
});
