import { createContextKey, ROOT_CONTEXT, SpanKind, trace, type Attributes, type Context } from '@opentelemetry/api';
import { expect, test } from '@jest/globals';
import { requestNameOf } from '../../../src/export/request-name.js';
import { setTrackedSpan, type TrackedSpan } from '../../../src/export/tracked-span.js';
import { contextOf, Recorder, spanContext } from '../support/tracing.js';

const RPC_METADATA = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');

const { tracer } = new Recorder();

function serverSpan(name: string, attributes: Attributes = {}) {
  return tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, ROOT_CONTEXT);
}

function inServerSpan(name: string, attributes: Attributes = {}): Context {
  return trace.setSpan(ROOT_CONTEXT, serverSpan(name, attributes));
}

test.each<[string, string, Attributes]>([
  ['POST /tasks', 'POST /tasks', { 'url.path': '/tasks' }],
  ['GET /a/:b', 'GET', { 'http.route': '/a/:b', 'url.path': '/a/1' }],
  ['GET /a/1', 'GET', { 'url.path': '/a/1' }],
  ['GET /a/1', 'GET', { 'http.target': '/a/1?token=secret' }],
  ['HTTP GET', 'HTTP GET', { 'http.target': '/a' }],
  ['resize', 'resize', {}],
])('is %s for a span with the name %s and the attributes %j', (expected, name, attributes) => {
  expect(requestNameOf(inServerSpan(name, attributes))).toBe(expected);
});

test("has the route that the framework's instrumentation has put into the context, inside an inner span", () => {
  const server = serverSpan('GET', { 'url.path': '/runs/7' });
  const inRequest = ROOT_CONTEXT.setValue(RPC_METADATA, { type: 'http', span: server, route: '/runs/:id' });
  expect(requestNameOf(trace.setSpan(inRequest, tracer.startSpan('render')))).toBe('GET /runs/:id');
});

test('is that of the tracked span around the active one', () => {
  const inner = tracer.startSpan('render');
  setTrackedSpan(inner, { span: serverSpan('GET /runs/:id') } as unknown as TrackedSpan);
  expect(requestNameOf(trace.setSpan(ROOT_CONTEXT, inner))).toBe('GET /runs/:id');
});

test('is that of the active span where no other is known', () => {
  expect(requestNameOf(trace.setSpan(ROOT_CONTEXT, tracer.startSpan('nightly import')))).toBe('nightly import');
});

test('is unknown outside of any span, and in a span that this process does not record', () => {
  expect(requestNameOf(ROOT_CONTEXT)).toBeUndefined();
  expect(requestNameOf(contextOf(spanContext(1)))).toBeUndefined();
});

test('runs no getter and no trap of a span', () => {
  let calls = 0;
  const getter = {
    get: () => {
      calls++;
    },
  };
  const withGetters = Object.defineProperties(
    { spanContext: () => spanContext(1) },
    { name: getter, attributes: getter },
  );
  const proxy = new Proxy(serverSpan('GET'), {
    getOwnPropertyDescriptor: () => {
      calls++;
    },
  });
  const metadata = ROOT_CONTEXT.setValue(RPC_METADATA, Object.defineProperty({}, 'span', getter));
  for (const context of [
    trace.setSpan(ROOT_CONTEXT, withGetters as never),
    ROOT_CONTEXT.setValue(RPC_METADATA, { span: proxy }),
    metadata,
  ]) {
    expect(requestNameOf(context)).toBeUndefined();
  }
  expect(calls).toBe(0);
});
