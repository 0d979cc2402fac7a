import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { resolveConfig, type ResolvedConfig } from '../../../src/config/resolve-config.js';
import type { EventLoopInstrumentationConfig } from '../../../src/types.js';

const KEYS = [
  'enabled',
  'blockedThresholdMs',
  'hangThresholdMs',
  'sampleIntervalMs',
  'watchdog',
  'spansPerMinute',
  'captureStacks',
  'livenessPort',
  'livenessHost',
  'livenessThresholdMs',
  'readinessThresholdMs',
  'hangExporter',
  'blockHook',
  'countStartUp',
  'threadPool',
  'sourceMaps',
  'startUpHook',
];
const NAMES = [
  'LOOPWATCH_BLOCKED_THRESHOLD_MS',
  'LOOPWATCH_HANG_THRESHOLD_MS',
  'LOOPWATCH_SAMPLE_INTERVAL_MS',
  'LOOPWATCH_WATCHDOG',
  'LOOPWATCH_SPANS_PER_MINUTE',
  'LOOPWATCH_CAPTURE_STACKS',
  'LOOPWATCH_COUNT_START_UP',
  'LOOPWATCH_THREAD_POOL',
  'LOOPWATCH_LIVENESS_PORT',
  'LOOPWATCH_LIVENESS_HOST',
  'LOOPWATCH_LIVENESS_THRESHOLD_MS',
  'LOOPWATCH_READINESS_THRESHOLD_MS',
];

const text = fc.oneof(
  fc.string(),
  fc.double().map(String),
  fc.integer({ min: -10, max: 10_000 }).map(String),
  fc.constantFrom('true', 'false', '', ' ', '0x10', '1e3'),
);
const environment = fc.dictionary(fc.constantFrom(...NAMES), text);
const anything = fc.oneof(fc.anything(), fc.double(), fc.integer({ min: 0, max: 10_000 }), fc.boolean());
const options = fc.dictionary(fc.constantFrom(...KEYS), anything);
const plausible = fc.record(
  {
    blockedThresholdMs: fc.integer({ min: 10, max: 20_000 }),
    hangThresholdMs: fc.integer({ min: 0, max: 20_000 }),
    sampleIntervalMs: fc.integer({ min: 1, max: 20_000 }),
    spansPerMinute: fc.integer({ min: 0, max: 1000 }),
    watchdog: fc.boolean(),
    captureStacks: fc.boolean(),
    countStartUp: fc.boolean(),
    threadPool: fc.boolean(),
    sourceMaps: fc.boolean(),
    livenessThresholdMs: fc.integer({ min: 10, max: 90_000 }),
    readinessThresholdMs: fc.integer({ min: 10, max: 90_000 }),
  },
  { requiredKeys: [] },
);

function expectValid(resolved: ResolvedConfig): void {
  expect(resolved.blockedThresholdMs).toBeGreaterThanOrEqual(10);
  expect(resolved.sampleIntervalMs).toBeGreaterThanOrEqual(1);
  expect(resolved.sampleIntervalMs).toBeLessThanOrEqual(resolved.blockedThresholdMs);
  expect(resolved.hangThresholdMs === 0 || resolved.hangThresholdMs >= resolved.blockedThresholdMs).toBe(true);
  expect(resolved.spansPerMinute).toBeGreaterThanOrEqual(0);
  expect(resolved.livenessThresholdMs).toBeGreaterThanOrEqual(resolved.blockedThresholdMs);
  expect(resolved.readinessThresholdMs).toBeGreaterThanOrEqual(resolved.blockedThresholdMs);
  expect(Number.isInteger(resolved.livenessPort)).toBe(true);
  expect(resolved.livenessPort).toBeGreaterThanOrEqual(0);
  expect(resolved.livenessPort).toBeLessThanOrEqual(resolved.watchdog ? 65_535 : 0);
  expect(typeof resolved.livenessHost).toBe('string');
  for (const ms of [
    resolved.blockedThresholdMs,
    resolved.hangThresholdMs,
    resolved.sampleIntervalMs,
    resolved.spansPerMinute,
    resolved.livenessThresholdMs,
    resolved.readinessThresholdMs,
  ]) {
    expect(ms).toBeLessThanOrEqual(2 ** 31 - 1);
  }
  expect(
    [resolved.enabled, resolved.watchdog, resolved.captureStacks].every((value) => typeof value === 'boolean'),
  ).toBe(true);
}

test('any environment gives valid options and throws nothing', () => {
  fc.assert(
    fc.property(environment, (env) => {
      expectValid(resolveConfig({}, env, () => undefined));
    }),
    { numRuns: 500 },
  );
});

test('any options in code are valid, or a TypeError or RangeError says what was expected and got', () => {
  fc.assert(
    fc.property(options, environment, (config, env) => {
      try {
        expectValid(resolveConfig(config, env, () => undefined));
      } catch (error) {
        // A failed expectation is an error of another name.
        if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
        if (!/^Expected .*, got .*\.$/s.test(error.message)) throw error;
      }
    }),
    { numRuns: 1000 },
  );
});

test('any value instead of the options throws nothing but a TypeError or RangeError', () => {
  fc.assert(
    fc.property(fc.anything(), (config) => {
      let thrown: unknown;
      try {
        resolveConfig(config as EventLoopInstrumentationConfig, {}, () => undefined);
      } catch (error) {
        thrown = error;
      }
      expect(thrown === undefined || thrown instanceof TypeError || thrown instanceof RangeError).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('a value that the code sets within its range is used as it is, or refused', () => {
  fc.assert(
    fc.property(plausible, environment, (config, env) => {
      let resolved: ResolvedConfig;
      try {
        resolved = resolveConfig(config, env, () => undefined);
      } catch {
        return;
      }
      expect(resolved).toMatchObject(config);
    }),
    { numRuns: 1000 },
  );
});

test('options in code without a conflict are never refused because of the environment', () => {
  fc.assert(
    fc.property(plausible, environment, (config, env) => {
      let isFine = true;
      try {
        resolveConfig(config, {}, () => undefined);
      } catch {
        isFine = false;
      }
      fc.pre(isFine);
      expect(() => resolveConfig(config as EventLoopInstrumentationConfig, env, () => undefined)).not.toThrow();
    }),
    { numRuns: 1000 },
  );
});
