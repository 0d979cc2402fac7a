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

/** Reads the standard variables. Undefined where they select no OTLP exporter. */
export function tracesEndpoint(env: Environment): TracesEndpoint | undefined {
  const exporters = read(env, 'OTEL_TRACES_EXPORTER')
    ?.split(',')
    .map((name) => name.trim());
  if (isSdkDisabled(env) || (exporters && !exporters.includes('otlp'))) return undefined;
  const protocol =
    read(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? read(env, 'OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf';
  const ofSignal = read(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const base = read(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const isGrpc = protocol === 'grpc';
  const defaultBase = isGrpc ? 'http://localhost:4317' : 'http://localhost:4318';
  return {
    // By the specification, the endpoint of a signal is used as it is, and the common one is a base URL.
    url: ofSignal ?? (isGrpc ? (base ?? defaultBase) : `${(base ?? defaultBase).replace(/\/+$/, '')}/v1/traces`),
    protocol,
    headers: {
      ...parseHeaders(read(env, 'OTEL_EXPORTER_OTLP_HEADERS')),
      ...parseHeaders(read(env, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS')),
    },
    variable: ofSignal ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : base && 'OTEL_EXPORTER_OTLP_ENDPOINT',
  };
}

export function isSdkDisabled(env: Environment): boolean {
  return read(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
}

/** The value of a variable; undefined where it is missing or empty. */
export function read(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

/** A URL as it may be shown: without user and password. */
export function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.username === '' && parsed.password === '') return url;
  parsed.username = '';
  parsed.password = '';
  return parsed.href;
}

/** `key1=value1,key2=value2` with percent-encoded values. Malformed pairs are ignored. */
function parseHeaders(text = ''): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const separator = pair.indexOf('=');
    const key = pair.slice(0, separator).trim();
    if (separator <= 0 || !/^[\w!#$%&'*+.^`|~-]+$/.test(key)) continue;
    try {
      headers[key.toLowerCase()] = decodeURIComponent(pair.slice(separator + 1).trim());
    } catch {
      continue;
    }
  }
  return headers;
}
