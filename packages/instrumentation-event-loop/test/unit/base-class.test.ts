import { afterEach, expect, test } from '@jest/globals';
import { InstrumentationBase } from '@opentelemetry/instrumentation';
import { EventLoopInstrumentation } from '../../src/instrumentation.js';
import { SCOPE_NAME } from '../../src/semconv.js';
import { PACKAGE_VERSION } from '../../src/version.js';

const created: EventLoopInstrumentation[] = [];

afterEach(() => {
  for (const instrumentation of created.splice(0)) instrumentation.disable();
});

function create<T extends EventLoopInstrumentation>(instrumentation: T): T {
  created.push(instrumentation);
  return instrumentation;
}

test("is one of OpenTelemetry's instrumentations, with the methods that an SDK calls", () => {
  const instrumentation = create(new EventLoopInstrumentation({ watchdog: false, blockedThresholdMs: 60 }));
  expect(instrumentation).toBeInstanceOf(InstrumentationBase);
  expect([instrumentation.instrumentationName, instrumentation.instrumentationVersion]).toEqual([
    SCOPE_NAME,
    PACKAGE_VERSION,
  ]);
  expect(instrumentation.getConfig()).toEqual({ enabled: true, watchdog: false, blockedThresholdMs: 60 });
  expect(instrumentation.getModuleDefinitions()).toEqual([]);
  const asked: unknown[] = [];
  instrumentation.setLoggerProvider({
    getLogger: (...names) => {
      asked.push(...names);
      return { emit: () => undefined, enabled: () => false };
    },
  });
  expect(asked).toEqual([SCOPE_NAME, PACKAGE_VERSION]);
});

test('can be extended', () => {
  class Named extends EventLoopInstrumentation {
    readonly label = 'own';
  }
  const named = create(new Named({ watchdog: false }));
  expect([named.label, named.isEnabled(), named instanceof EventLoopInstrumentation]).toEqual(['own', true, true]);
});
