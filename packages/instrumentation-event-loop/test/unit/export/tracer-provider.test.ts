import { trace, type TracerProvider as ApiTracerProvider } from '@opentelemetry/api';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { afterEach, describe, expect, test } from '@jest/globals';
import { delegateOf, isNoopTracerProvider, liveTracerProvider } from '../../../src/export/tracer-provider.js';

const NOOP = delegateOf(trace.getTracerProvider());

afterEach(() => {
  trace.disable();
});

/** A proxy of another copy of the API, with or without a delegate. */
function proxyTo(provider?: TracerProvider): ApiTracerProvider {
  const delegate = provider ?? NOOP;
  return { getTracer: (name) => delegate.getTracer(name), getDelegate: () => delegate } as ApiTracerProvider;
}

describe('the provider to report with', () => {
  test('is the one that was set', () => {
    const provider = new TracerProvider();
    trace.setGlobalTracerProvider(new TracerProvider());
    expect(liveTracerProvider(provider)).toBe(provider);
  });

  test('is the delegate of the proxy that was set', () => {
    const provider = new TracerProvider();
    expect(liveTracerProvider(proxyTo(provider))).toBe(provider);
  });

  test('is the global one where none was set', () => {
    const provider = new TracerProvider();
    trace.setGlobalTracerProvider(provider);
    expect(liveTracerProvider(undefined)).toBe(provider);
  });

  test('is the global one where the one that was set is a proxy without a delegate', () => {
    const provider = new TracerProvider();
    trace.setGlobalTracerProvider(provider);
    expect(liveTracerProvider(proxyTo())).toBe(provider);
  });

  test('is found when the SDK starts later', () => {
    expect(isNoopTracerProvider(liveTracerProvider(undefined))).toBe(true);
    const provider = new TracerProvider();
    trace.setGlobalTracerProvider(provider);
    expect(liveTracerProvider(undefined)).toBe(provider);
  });

  test('is the global one that an older copy of the API has registered', () => {
    const provider = new TracerProvider();
    const key = Symbol.for('opentelemetry.js.api.1');
    const registered: unknown = Reflect.get(globalThis, key);
    try {
      Reflect.set(globalThis, key, { version: '1.3.0', trace: provider });
      expect(isNoopTracerProvider(delegateOf(trace.getTracerProvider()))).toBe(true);
      expect(liveTracerProvider(undefined)).toBe(provider);
    } finally {
      Reflect.set(globalThis, key, registered);
    }
  });

  test('is a no-op where there is no SDK', () => {
    expect(isNoopTracerProvider(liveTracerProvider(undefined))).toBe(true);
    expect(isNoopTracerProvider(liveTracerProvider(proxyTo()))).toBe(true);
  });
});

test('a provider that is no proxy is its own delegate', () => {
  const provider = new TracerProvider();
  expect(delegateOf(provider)).toBe(provider);
  expect(isNoopTracerProvider(provider)).toBe(false);
});
