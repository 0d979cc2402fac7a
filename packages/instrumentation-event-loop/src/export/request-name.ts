import { createContextKey, SpanKind, trace, type Context } from '@opentelemetry/api';
import { plainProperty } from '../contract/plain-property.js';
import { trackedSpanOf, type TrackedSpan } from './tracked-span.js';

/** Under this key, the instrumentation of a server keeps the request's span and route, whatever inner span is active. */
const RPC_METADATA = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');

/**
 * Name of the request in a context: of the span that the server's instrumentation has put there, else of the SERVER or
 * CONSUMER span around the active one (where `EventLoopSpanProcessor` tracks it), else of the active span. Undefined
 * outside of any span, and for a span that this process does not record. Runs no getter of a span.
 */
export function requestNameOf(context: Context): string | undefined {
  const metadata = context.getValue(RPC_METADATA);
  const active = trace.getSpan(context);
  return nameOfSpan(
    plainProperty(metadata, 'span') ?? trackedSpanOf(active)?.span ?? active,
    textIn(metadata, 'route'),
  );
}

/** Name of a request by its span, with the route or the path; undefined for a span that this process does not record. */
export function nameOfSpan(span: unknown, route?: string): string | undefined {
  const name = textIn(span, 'name');
  if (name === undefined) return undefined;
  const attributes = plainProperty(span, 'attributes');
  const path = route ?? PATH_ATTRIBUTES.map((key) => textIn(attributes, key)).find(Boolean);
  // The name is only the method until the request ends, and without an instrumentation of the framework also then.
  return path === undefined || name.includes(' ') || name.includes('/')
    ? name
    : `${name} ${path.split('?', 1).join('')}`;
}

/**
 * Name of the SERVER or CONSUMER span around the context, with its route: the name of a series. Undefined outside of such
 * spans. The path is no part of it, because it may contain ids.
 */
export function servedRequestOf(context: Context): string | undefined {
  const metadata = context.getValue(RPC_METADATA);
  const active = trace.getSpan(context);
  const span = [plainProperty(metadata, 'span'), ...trackedSpansAround(trackedSpanOf(active)), active].find(isServed);
  const name = textIn(span, 'name');
  if (name === undefined) return undefined;
  const route = textIn(metadata, 'route') ?? textIn(plainProperty(span, 'attributes'), PATH_ATTRIBUTES[0]);
  return route === undefined || name.includes(' ') || name.includes('/') ? name : `${name} ${route}`;
}

function isServed(span: unknown): boolean {
  const kind = plainProperty(span, 'kind');
  return kind === SpanKind.SERVER || kind === SpanKind.CONSUMER;
}

/** Tracked spans within tracked spans that are kept in mind: a chain of them is short. */
const MAX_OUTER = 16;

function trackedSpansAround(innermost: TrackedSpan | undefined): unknown[] {
  const spans: unknown[] = [];
  for (let tracked = innermost; tracked !== undefined && spans.length < MAX_OUTER; tracked = tracked.outer)
    spans.push(tracked.span);
  return spans;
}

/** Of HTTP's server spans; the last one is that of instrumentations from before 2024, and has the query. */
const PATH_ATTRIBUTES = ['http.route', 'url.path', 'http.target'] as const;

function textIn(object: unknown, key: string): string | undefined {
  const value = plainProperty(object, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
