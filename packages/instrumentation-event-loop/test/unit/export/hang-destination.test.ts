import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { OtlpTarget } from '../../../src/contract/hang-report.js';
import { resolveTarget, type TargetOptions } from '../../../src/export/hang-destination.js';
import { parseHeaders } from '../../../src/export/otel-variables.js';

let warnings: string[];

beforeEach(() => {
  warnings = [];
});

function resolve(
  env: Record<string, string> = {},
  hangExporter?: TargetOptions['hangExporter'],
): OtlpTarget | undefined {
  return resolveTarget({ hangExporter, env, warn: (message) => warnings.push(message) });
}

function urls(target: OtlpTarget | undefined): [string, string] | undefined {
  return target && [target.traces.url, target.metrics.url];
}

describe('the endpoint', () => {
  test('is the default of OTLP over HTTP on localhost', () => {
    expect(urls(resolve())).toEqual(['http://localhost:4318/v1/traces', 'http://localhost:4318/v1/metrics']);
  });

  test.each([
    ['http://collector:4318', 'http://collector:4318/v1/traces'],
    ['http://collector:4318/', 'http://collector:4318/v1/traces'],
    ['https://otlp.example.com/tenant', 'https://otlp.example.com/tenant/v1/traces'],
  ])('is a base URL to which the path of the signal is added: %s', (base, traces) => {
    expect(resolve({ OTEL_EXPORTER_OTLP_ENDPOINT: base })?.traces.url).toBe(traces);
  });

  test.each(['file:///run/records.jsonl', 'FILE:///run/records.jsonl'])(
    'of a file is the file for both signals, and no spool directory is used: %s',
    (url) => {
      const target = resolve({ LOOPWATCH_SPOOL_DIRECTORY: '/spool' }, { url, headers: { process: '7' } });
      expect(urls(target)).toEqual([url, url]);
      expect(target?.spoolDirectory).toBeUndefined();
      expect(resolve({ LOOPWATCH_SPOOL_DIRECTORY: '/spool' }, { url: 'http://a' })?.spoolDirectory).toBe('/spool');
    },
  );

  test('of a signal is used as it is, and wins over the common one', () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:9999/custom',
    };
    expect(urls(resolve(env))).toEqual(['http://traces:9999/custom', 'http://collector:4318/v1/metrics']);
  });

  test('that is empty is not set', () => {
    expect(urls(resolve({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }))?.[0]).toBe('http://localhost:4318/v1/traces');
  });

  test.each(['collector:4318', 'not a url', 'grpc://collector:4317'])(
    'warns and reports no hangs when it is no HTTP URL: %j',
    (url) => {
      expect(resolve({ OTEL_EXPORTER_OTLP_ENDPOINT: url })).toBeUndefined();
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatch(/^Expected an http or https URL .* got ".*": hangs are not reported\.$/);
    },
  );
});

describe('the option hangExporter', () => {
  const option = { url: 'https://own.example.com:4318/', headers: { 'x-key': 'k' } };

  test('wins over the environment', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' };
    const target = resolve(env, option);
    expect(urls(target)).toEqual(['https://own.example.com:4318/v1/traces', 'https://own.example.com:4318/v1/metrics']);
    expect(target?.traces.headers).toEqual({ 'x-key': 'k' });
  });

  test.each<Record<string, string>>([{ OTEL_TRACES_EXPORTER: 'none' }, { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }])(
    'is used also with %j',
    (env) => {
      expect(resolve(env, option)).toBeDefined();
    },
  );

  test('is combined with certificates and time-out of the environment', () => {
    const env = { OTEL_EXPORTER_OTLP_CERTIFICATE: '/etc/ca.pem', OTEL_EXPORTER_OTLP_TIMEOUT: '500' };
    expect(resolve(env, option)?.traces).toMatchObject({ certificate: '/etc/ca.pem', timeoutMs: 500 });
  });
});

describe('the settings of the SDK', () => {
  test.each([
    ['none', false],
    ['console', false],
    ['zipkin,console', false],
    ['otlp', true],
    ['console, otlp', true],
  ])('decide whether hangs are reported: OTEL_TRACES_EXPORTER=%s', (exporters, isReported) => {
    expect(resolve({ OTEL_TRACES_EXPORTER: exporters }) !== undefined).toBe(isReported);
    expect(warnings).toEqual([]);
  });

  test.each(['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'])(
    'warn about %s=grpc, which is not supported, and say what to do',
    (name) => {
      expect(resolve({ [name]: 'grpc' })).toBeUndefined();
      expect(warnings[0]).toContain('hangExporter: { url }');
    },
  );

  test('include the protocol of the signal, which wins over the common one', () => {
    const env = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' };
    expect(resolve(env)).toBeDefined();
  });
});

describe('headers', () => {
  test('of the signal are added to the common ones, and win over them', () => {
    const env = {
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,x-a=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'X-A=2',
    };
    const target = resolve(env);
    expect(target?.traces.headers).toEqual({ authorization: 'Bearer abc', 'x-a': '2' });
    expect(target?.metrics.headers).toEqual({ authorization: 'Bearer abc', 'x-a': '1' });
  });

  test.each<[string | undefined, Record<string, string>]>([
    [undefined, {}],
    ['', {}],
    ['a=1', { a: '1' }],
    [' a = 1 , b=2 ', { a: '1', b: '2' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=', { a: '' }],
    ['=1,a', {}],
    ['a b=1,c=2', { c: '2' }],
    ['a=%E0%A4%A,b=2', { b: '2' }],
    ['a=%2C', { a: ',' }],
  ])('are parsed from %j', (text, headers) => {
    expect(parseHeaders(text)).toEqual(headers);
  });

  test('any text gives headers whose names HTTP accepts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        for (const name of Object.keys(parseHeaders(text))) expect(name).toMatch(/^[\w!#$%&'*+.^`|~-]+$/);
      }),
    );
  });
});

describe('the transport', () => {
  test.each([
    ['500', 500],
    ['0', 10_000],
    ['-5', 10_000],
    ['soon', 10_000],
    ['1e99', 2 ** 31 - 1],
  ])('has the right time-out for %s', (text, timeoutMs) => {
    expect(resolve({ OTEL_EXPORTER_OTLP_TIMEOUT: text })?.traces.timeoutMs).toBe(timeoutMs);
  });

  test('uses the values of the signal before the common ones', () => {
    const env = {
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: '700',
      OTEL_EXPORTER_OTLP_CLIENT_KEY: '/etc/key.pem',
      OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: '/etc/cert.pem',
    };
    expect(resolve(env)?.traces).toMatchObject({
      timeoutMs: 500,
      clientKey: '/etc/key.pem',
      clientCertificate: '/etc/cert.pem',
    });
    expect(resolve(env)?.metrics).toMatchObject({ timeoutMs: 700, clientCertificate: undefined });
  });
});

test('any environment gives HTTP endpoints or none', () => {
  const names = ['ENDPOINT', 'TRACES_ENDPOINT', 'METRICS_ENDPOINT', 'HEADERS', 'TIMEOUT', 'PROTOCOL'];
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('http://collector:4318/a?b#c', 'https://x', 'grpc', 'http/json', '://', 'http://'),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names.map((name) => `OTEL_EXPORTER_OTLP_${name}`)), value), (env) => {
      const target = resolve(env);
      for (const url of urls(target) ?? []) expect(new URL(url).protocol).toMatch(/^https?:$/);
    }),
    { numRuns: 50 },
  );
});
