import { type Context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';

import { requestTitle } from '../model/request-title.js';

/** Name of what the program was serving, as far as its own OpenTelemetry SDK has put it into the context. */
export function requestOf(context: Context): string | undefined {
  if (context === ROOT_CONTEXT) return undefined;
  const rpc = context.getValue(RPC_METADATA_KEY) as { route?: string; span?: Span } | undefined;
  const span = (rpc?.span ?? trace.getSpan(context)) as NamedSpan | undefined;
  if (span?.name === undefined) return undefined;
  const path = rpc?.route ?? span.attributes?.['http.route'] ?? span.attributes?.['url.path'];
  return requestTitle(span.name, typeof path === 'string' && path !== '' ? path : undefined);
}

/** Where `@opentelemetry/core` keeps the server span of the request, below any number of inner spans. */
const RPC_METADATA_KEY = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA');

/** What the spans of the SDK have beside the API's. */
interface NamedSpan {
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}
