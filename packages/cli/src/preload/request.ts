import { type Context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';

import { requestTitle } from '../model/request-title.js';
import { requestNameIn } from './request-aware-instrumentation.js';

/**
 * Name of the request that the program was serving: from the span that its own OpenTelemetry SDK has put into the
 * context, else from Node's own objects.
 */
export function requestOf(context: Context): string | undefined {
  if (context === ROOT_CONTEXT) return undefined;
  return nameFromSpan(context) ?? requestNameIn(context);
}

function nameFromSpan(context: Context): string | undefined {
  const rpc = context.getValue(RPC_METADATA_KEY) as { route?: string; span?: Span } | undefined;
  const span = (rpc?.span ?? trace.getSpan(context)) as NamedSpan | undefined;
  if (span?.name === undefined) return undefined;
  const path = rpc?.route ?? span.attributes?.['http.route'] ?? span.attributes?.['url.path'];
  return requestTitle(span.name, typeof path === 'string' && path !== '' ? path : undefined);
}

/** The key of `@opentelemetry/core` for the server span of the request, whatever inner span is active. */
const RPC_METADATA_KEY = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA');

/** Fields of the SDK's spans that the API does not declare. */
interface NamedSpan {
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}
