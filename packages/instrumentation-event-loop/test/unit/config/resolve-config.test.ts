import { beforeEach, describe, expect, test } from '@jest/globals';
import { resolveConfig, type ResolvedConfig } from '../../../src/config/resolve-config.js';
import type { EventLoopInstrumentationConfig } from '../../../src/types.js';

let warnings: string[];

beforeEach(() => {
  warnings = [];
});

function resolve(config: unknown = {}, env: Record<string, string | undefined> = {}): ResolvedConfig {
  return resolveConfig(config as EventLoopInstrumentationConfig, env, (message) => warnings.push(message));
}

function thrownBy(config: unknown, env: Record<string, string | undefined> = {}): Error {
  try {
    resolve(config, env);
  } catch (error) {
    return error as Error;
  }
  throw new Error('Expected it to throw.');
}

const MAX_MS = 2 ** 31 - 1;

const NUMBERS = [
  { key: 'blockedThresholdMs', env: 'LOOPWATCH_BLOCKED_THRESHOLD_MS', min: 10, defaultValue: 100, withOptions: {} },
  { key: 'hangThresholdMs', env: 'LOOPWATCH_HANG_THRESHOLD_MS', min: 0, defaultValue: 5000, withOptions: {} },
  {
    key: 'sampleIntervalMs',
    env: 'LOOPWATCH_SAMPLE_INTERVAL_MS',
    min: 1,
    defaultValue: 10,
    withOptions: { blockedThresholdMs: MAX_MS, hangThresholdMs: 0 },
  },
  { key: 'spansPerMinute', env: 'LOOPWATCH_SPANS_PER_MINUTE', min: 0, defaultValue: 60, withOptions: {} },
  {
    key: 'livenessThresholdMs',
    env: 'LOOPWATCH_LIVENESS_THRESHOLD_MS',
    min: 10,
    defaultValue: 60_000,
    withOptions: { blockedThresholdMs: 10 },
  },
  {
    key: 'readinessThresholdMs',
    env: 'LOOPWATCH_READINESS_THRESHOLD_MS',
    min: 10,
    defaultValue: 1000,
    withOptions: { blockedThresholdMs: 10 },
  },
] as const;

const PORT = 'LOOPWATCH_LIVENESS_PORT';
const HOST = 'LOOPWATCH_LIVENESS_HOST';

const BOOLEANS = [
  { key: 'watchdog', env: 'LOOPWATCH_WATCHDOG', defaultValue: true },
  { key: 'captureStacks', env: 'LOOPWATCH_CAPTURE_STACKS', defaultValue: true },
  { key: 'countStartUp', env: 'LOOPWATCH_COUNT_START_UP', defaultValue: false },
  { key: 'threadPool', env: 'LOOPWATCH_THREAD_POOL', defaultValue: true },
  { key: 'sourceMaps', env: 'LOOPWATCH_SOURCE_MAPS', defaultValue: true },
] as const;

describe('by default', () => {
  test('the options have their documented values', () => {
    expect(resolve()).toEqual({
      enabled: true,
      blockedThresholdMs: 100,
      hangThresholdMs: 5000,
      sampleIntervalMs: 10,
      watchdog: true,
      spansPerMinute: 60,
      busySamplesPerSecond: 5,
      captureStacks: true,
      countStartUp: false,
      threadPool: true,
      sourceMaps: true,
      livenessPort: 0,
      livenessHost: '127.0.0.1',
      livenessThresholdMs: 60_000,
      readinessThresholdMs: 1000,
      hangExporter: undefined,
      exporterVariables: {},
      blockHook: undefined,
      startUpHook: undefined,
    });
    expect(warnings).toEqual([]);
  });

  test('an option whose value is undefined is not set', () => {
    const keys = [
      'enabled',
      'hangExporter',
      'blockHook',
      'startUpHook',
      ...NUMBERS.map(({ key }) => key),
      ...BOOLEANS.map(({ key }) => key),
    ];
    expect(resolve(Object.fromEntries(keys.map((key) => [key, undefined])))).toEqual(resolve());
  });

  test('an empty environment variable is not set', () => {
    const names = [...NUMBERS, ...BOOLEANS].map(({ env }) => env);
    expect(resolve({}, Object.fromEntries(names.map((name) => [name, '  '])))).toEqual(resolve());
    expect(warnings).toEqual([]);
  });
});

describe.each(NUMBERS)('$key', ({ key, env, min, defaultValue, withOptions }) => {
  test('accepts its smallest value', () => {
    const others = key === 'blockedThresholdMs' ? { sampleIntervalMs: 1 } : withOptions;
    expect(resolve({ ...others, [key]: min })[key]).toBe(min);
  });

  test('accepts its largest value', () => {
    expect(resolve({ ...withOptions, [key]: MAX_MS })[key]).toBe(MAX_MS);
  });

  test('accepts a fraction', () => {
    expect(resolve({ ...withOptions, hangThresholdMs: 0, [key]: 123.25 })[key]).toBe(123.25);
  });

  test.each([
    ['below the range', min - 0.001],
    ['negative', -1],
    ['above the range', MAX_MS + 1],
    ['infinite', Infinity],
    ['negatively infinite', -Infinity],
  ])('%s in code throws a RangeError that says what was expected and got', (_, value) => {
    const error = thrownBy({ ...withOptions, [key]: value });
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toContain(`Expected ${key} to be a number from ${min} to ${MAX_MS}`);
    expect(error.message).toContain(`got ${value}`);
  });

  test.each([
    ['NaN', NaN, 'NaN'],
    ['a string', '100', '"100"'],
    ['null', null, 'null'],
    ['a boolean', true, 'true'],
    ['an object', {}, 'an object'],
    ['an array', [100], 'an array'],
    ['a function', () => 100, 'a function'],
    ['a bigint', 100n, '100'],
  ])(
    'as %s in code throws a TypeError that says what was expected and got, and how to correct it',
    (_, value, shown) => {
      const error = thrownBy({ [key]: value });
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain(`Expected ${key} as a number`);
      expect(error.message).toContain(`got ${shown}.`);
      expect(error.message).toContain(`Set a number from ${min} to ${MAX_MS}`);
    },
  );

  test('is read from the environment', () => {
    const others = key === 'sampleIntervalMs' ? { blockedThresholdMs: 1000 } : { hangThresholdMs: 0 };
    expect(resolve(key === 'hangThresholdMs' ? {} : others, { [env]: ' 250 ' })[key]).toBe(250);
    expect(warnings).toEqual([]);
  });

  test('in code wins over the environment', () => {
    expect(resolve({ ...withOptions, [key]: 333 }, { [env]: '250' })[key]).toBe(333);
  });

  test.each(['abc', '-1', '1e99', 'NaN', 'Infinity', '100ms', '1,000', '0x', '1 2'])(
    'as %j in the environment warns, and the default is used',
    (text) => {
      expect(resolve({}, { [env]: text })[key]).toBe(defaultValue);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain(`Expected ${env} to be a number from ${min} to ${MAX_MS}`);
      expect(warnings[0]).toContain(`got ${JSON.stringify(text)}`);
      expect(warnings[0]).toContain(`The default, ${defaultValue}, applies.`);
    },
  );
});

describe.each(BOOLEANS)('$key', ({ key, env, defaultValue }) => {
  test.each([true, false])('accepts %j', (value) => {
    expect(resolve({ [key]: value })[key]).toBe(value);
  });

  test.each([
    ['true', true],
    ['FALSE', false],
    [' False ', false],
  ])('is read from the environment as %j', (text, value) => {
    expect(resolve({}, { [env]: text })[key]).toBe(value);
  });

  test.each([true, false])('as %j in code wins over the environment', (value) => {
    expect(resolve({ [key]: value }, { [env]: String(!value) })[key]).toBe(value);
  });

  test.each([
    ['false', '"false"'],
    [0, '0'],
    [null, 'null'],
  ])('as %j in code throws a TypeError', (value, shown) => {
    const error = thrownBy({ [key]: value });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe(`Expected ${key} to be true or false, got ${shown}.`);
  });

  test.each(['0', '1', 'yes', 'off'])('as %j in the environment warns, and the default is used', (text) => {
    expect(resolve({}, { [env]: text })[key]).toBe(defaultValue);
    expect(warnings).toEqual([
      `Expected ${env} to be true or false, got ${JSON.stringify(text)}. The default, ${defaultValue}, applies.`,
    ]);
  });
});

describe('enabled', () => {
  test('can be false', () => {
    expect(resolve({ enabled: false }).enabled).toBe(false);
  });

  test('must be a boolean', () => {
    expect(thrownBy({ enabled: 'no' })).toBeInstanceOf(TypeError);
  });
});

describe('blockHook', () => {
  test('is passed on', () => {
    const blockHook = (): void => undefined;
    expect(resolve({ blockHook }).blockHook).toBe(blockHook);
  });

  test.each([null, 'log', {}])('as %j throws a TypeError', (blockHook) => {
    const error = thrownBy({ blockHook });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('Expected blockHook as a function (span, block) => void');
  });
});

describe('startUpHook', () => {
  test('is passed on', () => {
    const startUpHook = (): void => undefined;
    expect(resolve({ startUpHook }).startUpHook).toBe(startUpHook);
  });

  test.each([null, 'log', {}])('as %j throws a TypeError', (startUpHook) => {
    const error = thrownBy({ startUpHook });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('Expected startUpHook as a function (startUp) => void');
  });
});

describe('hangExporter', () => {
  test.each([
    { url: 'http://127.0.0.1:4318' },
    { url: 'https://otlp.example.com/base', headers: { authorization: 'Bearer x' } },
    { url: 'http://[::1]:4318', headers: {} },
  ])('as %j is passed on', (hangExporter) => {
    expect(resolve({ hangExporter }).hangExporter).toEqual(hangExporter);
  });

  test.each([
    null,
    'http://localhost',
    {},
    { url: '' },
    { url: 'localhost:4318' },
    { url: 'grpc://localhost' },
    { url: 4318 },
  ])('as %j throws a TypeError about its URL', (hangExporter) => {
    const error = thrownBy({ hangExporter });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('Expected hangExporter.url as an http or https URL of an OTLP receiver');
  });

  test.each([null, 'a=b', ['a'], { a: 1 }, { a: undefined }])('with headers of %j throws a TypeError', (headers) => {
    const error = thrownBy({ hangExporter: { url: 'http://localhost:4318', headers } });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('Expected hangExporter.headers as an object of strings');
  });

  test('shows no header value in a message: it may be a secret', () => {
    const error = thrownBy({
      hangExporter: { url: 'http://localhost:4318', headers: { authorization: 'hunter2', odd: 1 } },
    });
    expect(error.message).not.toContain('hunter2');
  });
});

describe('invalid options', () => {
  test.each([null, 'fast', 100, true])('are a TypeError: %j instead of an object', (config) => {
    const error = thrownBy(config);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('Expected the options of EventLoopInstrumentation as an object');
  });

  test('with an unknown name are a TypeError that names it and the known options', () => {
    const error = thrownBy({ blockedTresholdMs: 50 });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('got "blockedTresholdMs"');
    expect(error.message).toContain('blockedThresholdMs');
    expect(error.message).toContain('Correct or remove it.');
  });

  test('with a long unknown name do not make a long message', () => {
    expect(thrownBy({ ['x'.repeat(10_000)]: 1 }).message.length).toBeLessThan(500);
  });
});

describe('conflicting options', () => {
  test('a sample interval above the threshold, both in code, is a RangeError that says how to correct it', () => {
    const error = thrownBy({ blockedThresholdMs: 50, sampleIntervalMs: 60 });
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toBe(
      'Expected blockedThresholdMs to be at least sampleIntervalMs, got 50 ms and 60 ms. ' +
        'Raise blockedThresholdMs or lower sampleIntervalMs.',
    );
  });

  test('a sample interval in code above the default threshold is a RangeError', () => {
    expect(thrownBy({ sampleIntervalMs: 200 })).toBeInstanceOf(RangeError);
  });

  test('a sample interval equal to the threshold is accepted', () => {
    expect(resolve({ blockedThresholdMs: 50, sampleIntervalMs: 50 })).toMatchObject({ sampleIntervalMs: 50 });
  });

  test('a conflict of two environment variables warns, and the sample interval is not used', () => {
    const env = { LOOPWATCH_BLOCKED_THRESHOLD_MS: '20', LOOPWATCH_SAMPLE_INTERVAL_MS: '30' };
    expect(resolve({}, env)).toMatchObject({ blockedThresholdMs: 20, sampleIntervalMs: 10 });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('LOOPWATCH_SAMPLE_INTERVAL_MS is not used.');
  });

  test('a sample interval in the environment above the threshold in code warns and is not used', () => {
    const resolved = resolve({ blockedThresholdMs: 20 }, { LOOPWATCH_SAMPLE_INTERVAL_MS: '30' });
    expect(resolved).toMatchObject({ blockedThresholdMs: 20, sampleIntervalMs: 10 });
    expect(warnings).toHaveLength(1);
  });

  test('a threshold in the environment below the sample interval in code warns and is not used', () => {
    const resolved = resolve({ sampleIntervalMs: 40 }, { LOOPWATCH_BLOCKED_THRESHOLD_MS: '20' });
    expect(resolved).toMatchObject({ blockedThresholdMs: 100, sampleIntervalMs: 40 });
    expect(warnings).toHaveLength(1);
  });

  test('a hang threshold below the threshold, both in code, is a RangeError that says how to correct it', () => {
    const error = thrownBy({ blockedThresholdMs: 500, hangThresholdMs: 400 });
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toContain(
      'Expected hangThresholdMs to be 0 (off) or at least blockedThresholdMs, got 400 ms and 500 ms.',
    );
    expect(error.message).toContain('Raise hangThresholdMs or lower blockedThresholdMs.');
  });

  test('a threshold above the default hang threshold raises the hang threshold', () => {
    expect(resolve({ blockedThresholdMs: 8000 })).toMatchObject({ blockedThresholdMs: 8000, hangThresholdMs: 8000 });
    expect(warnings).toEqual([]);
  });

  test('a hang threshold in the environment below the threshold in code warns and is not used', () => {
    const { hangThresholdMs } = resolve({ blockedThresholdMs: 500 }, { LOOPWATCH_HANG_THRESHOLD_MS: '400' });
    expect(hangThresholdMs).toBeGreaterThanOrEqual(500);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('got 400 ms and 500 ms');
  });

  test.each([
    [
      { hangThresholdMs: 50 },
      { LOOPWATCH_BLOCKED_THRESHOLD_MS: '20' },
      { hangThresholdMs: 50, blockedThresholdMs: 20 },
    ],
    [
      { sampleIntervalMs: 200 },
      { LOOPWATCH_BLOCKED_THRESHOLD_MS: '300' },
      { sampleIntervalMs: 200, blockedThresholdMs: 300 },
    ],
  ])(
    'values that fit together are used, whatever one of them is beside the defaults: %j, %j',
    (config, env, expected) => {
      expect(resolve(config, env)).toMatchObject(expected);
      expect(warnings).toEqual([]);
    },
  );

  test('a hang threshold of 0 (off) is accepted with any threshold', () => {
    expect(resolve({ blockedThresholdMs: 8000, hangThresholdMs: 0 })).toMatchObject({ hangThresholdMs: 0 });
  });
});

describe('livenessPort', () => {
  test.each([0, 1, 65_535])('accepts %d, in code and in the environment', (port) => {
    expect(resolve({ livenessPort: port }).livenessPort).toBe(port);
    expect(resolve({}, { [PORT]: ` ${port} ` }).livenessPort).toBe(port);
  });

  test('in code wins over the environment', () => {
    expect(resolve({ livenessPort: 0 }, { [PORT]: '9000' }).livenessPort).toBe(0);
  });

  test.each([-1, 65_536, 80.5, Infinity])('throws a RangeError for %d', (livenessPort) => {
    const { name, message } = thrownBy({ livenessPort });
    expect([name, message]).toEqual([
      'RangeError',
      `Expected livenessPort to be a whole number from 0 to 65535, got ${livenessPort}.`,
    ]);
  });

  test.each(['http', '-1', '65536', '80.5'])('is off with %j in the environment, and a warning says why', (text) => {
    expect(resolve({}, { [PORT]: text }).livenessPort).toBe(0);
    expect(warnings).toEqual([expect.stringContaining(`Expected ${PORT} to be a whole number from 0 to 65535`)]);
  });

  test('throws without the watchdog thread, which answers', () => {
    expect(thrownBy({ livenessPort: 9000, watchdog: false })).toBeInstanceOf(RangeError);
  });

  test.each([
    [{ livenessPort: 9000 }, { LOOPWATCH_WATCHDOG: 'false' }],
    [{ watchdog: false }, { [PORT]: '9000' }],
    [{}, { LOOPWATCH_WATCHDOG: 'false', [PORT]: '9000' }],
  ])('is off where the environment has a part in that conflict: %j, %j', (config, env) => {
    expect(resolve(config, env)).toMatchObject({ watchdog: false, livenessPort: 0 });
    expect(warnings).toEqual([expect.stringContaining('Expected watchdog to be true with livenessPort 9000')]);
  });
});

describe('livenessHost', () => {
  test('is read from the environment, and the option in code wins', () => {
    expect(resolve({}, { [HOST]: ' 0.0.0.0 ' }).livenessHost).toBe('0.0.0.0');
    expect(resolve({ livenessHost: '::1' }, { [HOST]: '0.0.0.0' }).livenessHost).toBe('::1');
    expect(resolve({}, { [HOST]: '' }).livenessHost).toBe('127.0.0.1');
  });

  test.each(['', ' ', 1, null, {}])('throws a TypeError for %j', (livenessHost) => {
    expect(thrownBy({ livenessHost })).toBeInstanceOf(TypeError);
  });
});

test.each(['livenessThresholdMs', 'readinessThresholdMs'] as const)(
  'a %s below blockedThresholdMs is a conflict, and its default is at least that',
  (key) => {
    expect(thrownBy({ [key]: 50 }).message).toContain(
      `Expected ${key} to be at least blockedThresholdMs, got 50 ms and 100 ms.`,
    );
    expect(resolve({ blockedThresholdMs: 90_000 })[key]).toBe(90_000);
  },
);
