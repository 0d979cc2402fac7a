import { beforeEach, describe, expect, test } from '@jest/globals';
import { resolveConfig, type ResolvedConfig } from '../../../src/config/resolve-config.js';

let warnings: string[];

beforeEach(() => {
  warnings = [];
});

function resolve(env: Record<string, string> = {}): ResolvedConfig {
  return resolveConfig({}, env, (message) => warnings.push(message));
}

describe('the configuration file', () => {
  function fromFile(
    node: Readonly<Record<string, unknown>>,
    {
      config = {},
      env = {},
      isSdkDisabled = false,
    }: { config?: object; env?: Record<string, string>; isSdkDisabled?: boolean } = {},
  ): ResolvedConfig {
    return resolveConfig(config, env, (message) => warnings.push(message), {
      node,
      isSdkDisabled,
      exporterVariables: {},
    });
  }

  test('sets every option but the hooks, by its name in snake_case', () => {
    const node = {
      enabled: false,
      blocked_threshold_ms: 200,
      hang_threshold_ms: 0,
      sample_interval_ms: 5,
      watchdog: true,
      spans_per_minute: 7,
      busy_samples_per_second: 20,
      capture_stacks: false,
      count_start_up: true,
      thread_pool: false,
      source_maps: false,
      liveness_port: 9000,
      liveness_host: '0.0.0.0',
      liveness_threshold_ms: 1000,
      readiness_threshold_ms: 500,
      hang_exporter: { url: 'https://collector:4318', headers: { authorization: 'x' } },
    };
    const { blockHook: _hook, startUpHook: _startUp, exporterVariables: _ofSdk, ...options } = fromFile(node);
    const named = Object.entries(options).map(([name, value]) => [
      name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
      value,
    ]);
    expect(Object.fromEntries(named)).toEqual(node);
    expect(warnings).toEqual([]);
  });

  test('comes after the code and before the environment', () => {
    const env = { LOOPWATCH_SPANS_PER_MINUTE: '1', LOOPWATCH_SAMPLE_INTERVAL_MS: '20' };
    const options = fromFile(
      { spans_per_minute: 2, blocked_threshold_ms: 300 },
      { config: { blockedThresholdMs: 400 }, env },
    );
    expect(options).toMatchObject({ blockedThresholdMs: 400, spansPerMinute: 2, sampleIntervalMs: 20 });
  });

  test.each([
    [
      { blocked_threshold_ms: 'slow' },
      'blocked_threshold_ms in OTEL_CONFIG_FILE is not used. Expected blockedThresholdMs',
    ],
    [{ hang_threshold_ms: 50 }, 'hang_threshold_ms in OTEL_CONFIG_FILE is not used. Expected hangThresholdMs to be 0'],
    [{ blockedThresholdMs: 50 }, 'got "blockedThresholdMs". It is not used.'],
    [{ block_hook: 'x' }, 'got "block_hook". It is not used.'],
    [{ hang_exporter: { url: 'collector' } }, 'hang_exporter in OTEL_CONFIG_FILE is not used.'],
  ])('loses an invalid value with a warning: %j', (node, warning) => {
    expect(fromFile(node)).toEqual(resolve());
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  });

  test('switches off where it disables the SDK, and keeps defaults where a value is null', () => {
    expect(fromFile({}, { isSdkDisabled: true }).enabled).toBe(false);
    expect(fromFile({ watchdog: null })).toEqual(resolve());
    expect(warnings).toEqual([]);
  });

  test('that cannot be read is reported and not used', () => {
    expect(resolve({ OTEL_CONFIG_FILE: '/nowhere/otel.yaml' })).toEqual(resolve());
    expect(warnings).toEqual([expect.stringMatching(/^OTEL_CONFIG_FILE is not used by this instrumentation: /)]);
  });
});
