import { createContextKey, trace, type Context } from '@opentelemetry/api';
import { plainProperty } from '../contract/plain-property.js';
import { trackedSpanOf } from './tracked-span.js';

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
  const span = plainProperty(metadata, 'span') ?? trackedSpanOf(active)?.span ?? active;
  const name = textIn(span, 'name');
  if (name === undefined) return undefined;
  const attributes = plainProperty(span, 'attributes');
  const path = textIn(metadata, 'route') ?? PATH_ATTRIBUTES.map((key) => textIn(attributes, key)).find(Boolean);
  // The name is only the method until the request ends, and without an instrumentation of the framework also then.
  return path === undefined || name.includes(' ') || name.includes('/')
    ? name
    : `${name} ${path.split('?', 1).join('')}`;
}

/** Of HTTP's server spans; the last one is that of instrumentations from before 2024, and has the query. */
const PATH_ATTRIBUTES = ['http.route', 'url.path', 'http.target'];

function textIn(object: unknown, key: string): string | undefined {
  const value = plainProperty(object, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
