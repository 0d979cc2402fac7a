import { Reflect } from './built-ins.js';

/** Where all copies of OpenTelemetry's API, of any version 1, have what an application registers. */
const API = Symbol.for('opentelemetry.js.api.1');

type Name = 'context' | 'diag' | 'metrics' | 'trace';

/**
 * What the application has registered, by whichever copy of the API: a context manager, a logger or a provider. A copy hands
 * out nothing that an older one has registered. An SDK that brings its own copy, as distributions of vendors do, would then
 * be none: no block would be exported, or each without its request.
 */
export function registered(name: Name): unknown {
  return (Reflect.get(globalThis, API) as Partial<Record<Name, unknown>> | undefined)?.[name];
}
