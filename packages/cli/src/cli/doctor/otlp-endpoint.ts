import { parseHeaders, readVariable } from '@loopwatch/instrumentation-event-loop/internal';

import type { Environment } from './facts.js';

/** Where an SDK without other settings sends its spans. */
export interface TracesEndpoint {
  readonly url: string;
  readonly protocol: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Variable that has named the endpoint; undefined: the default. */
  readonly variable: string | undefined;
}

export const OTLP_PROTOCOLS = ['http/protobuf', 'http/json', 'grpc'];

/** Reads the standard variables. Undefined where they select no OTLP exporter, or a file does. */
export function tracesEndpoint(env: Environment): TracesEndpoint | undefined {
  const exporters = tracesExporters(env);
  if (isSdkDisabled(env) || hasConfigurationFile(env) || (exporters && !exporters.includes('otlp'))) return undefined;
  const protocol =
    readVariable(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ??
    readVariable(env, 'OTEL_EXPORTER_OTLP_PROTOCOL') ??
    'http/protobuf';
  const ofSignal = readVariable(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const base = readVariable(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const isGrpc = protocol === 'grpc';
  const defaultBase = isGrpc ? 'http://localhost:4317' : 'http://localhost:4318';
  return {
    // By the specification, the endpoint of a signal is used as it is, and the common one is a base URL.
    url: ofSignal ?? (isGrpc ? (base ?? defaultBase) : `${(base ?? defaultBase).replace(/\/+$/, '')}/v1/traces`),
    protocol,
    headers: {
      ...parseHeaders(readVariable(env, 'OTEL_EXPORTER_OTLP_HEADERS')),
      ...parseHeaders(readVariable(env, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS')),
    },
    variable: ofSignal ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : base && 'OTEL_EXPORTER_OTLP_ENDPOINT',
  };
}

/** The exporters of spans that the variable selects. Undefined: it selects none, so the default applies. */
export function tracesExporters(env: Environment): readonly string[] | undefined {
  return readVariable(env, 'OTEL_TRACES_EXPORTER')
    ?.split(',')
    .map((name) => name.trim());
}

/** The SDK then takes exporters from the file, and not from the variables. */
export function hasConfigurationFile(env: Environment): boolean {
  return readVariable(env, 'OTEL_CONFIG_FILE') !== undefined;
}

export function isSdkDisabled(env: Environment): boolean {
  return readVariable(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
}

/** An address as it may be shown: without user, password and query, which can hold a key. Another text stays as it is. */
export function withoutCredentials(text: string): string {
  // Without a scheme, an address is wrong, and its password is one all the same.
  if (!text.includes('://')) return text.replace(/^[^/?#@\s]*:[^/?#\s]*@/, '');
  return text.replace(/:\/\/[^/?#]*@/, '://').replace(/\?[^]*$/, '?…');
}
