import type { ContextManager, DiagLogger, MeterProvider, TracerProvider } from '@opentelemetry/api';
import { Reflect } from './built-ins.js';

/** Where all copies of OpenTelemetry's API, of any version 1, have what an application registers. */
const API = Symbol.for('opentelemetry.js.api.1');

interface RegisteredApi {
  readonly context?: ContextManager;
  readonly diag?: DiagLogger;
  readonly metrics?: MeterProvider;
  readonly trace?: TracerProvider;
}

/**
 * What the application has registered, by whichever copy of the API. A copy hands out nothing that an older one has
 * registered. An SDK that brings its own copy, as distributions of vendors do, would then be none: no block would be
 * exported, or each without its request.
 */
export function registered<Name extends keyof RegisteredApi>(name: Name): RegisteredApi[Name] | undefined {
  return (Reflect.get(globalThis, API) as RegisteredApi | undefined)?.[name];
}
