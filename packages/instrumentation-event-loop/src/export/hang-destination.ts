import { URL } from 'node:url';
import { isFileUrl } from '../contract/file-url.js';
import type { OtlpEndpoint, OtlpTarget } from '../contract/hang-report.js';
import { parseHeaders, readVariable, type Environment } from './otel-variables.js';

type Signal = 'traces' | 'metrics';

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_TIMEOUT_MS = 10_000;

export interface TargetOptions {
  /** The option `hangExporter`: wins over the environment. */
  readonly hangExporter: { readonly url: string; readonly headers?: Readonly<Record<string, string>> } | undefined;
  readonly env: Environment;
  /** Called at most once, with the reason why hangs cannot be reported. */
  readonly warn: (message: string) => void;
}

/**
 * Resolves the endpoints of hang reports from the option, else from the standard `OTEL_EXPORTER_OTLP_*` variables.
 * Undefined when these variables select another exporter than OTLP, or OTLP over gRPC, which the watchdog does not
 * support.
 */
export function resolveTarget({ hangExporter, env, warn }: TargetOptions): OtlpTarget | undefined {
  const spoolDirectory = readVariable(env, 'LOOPWATCH_SPOOL_DIRECTORY');
  if (hangExporter) {
    const isFile = isFileUrl(hangExporter.url);
    const endpoint = (signal: Signal): OtlpEndpoint => ({
      ...transport(env, signal),
      url: isFile ? hangExporter.url : appendPath(hangExporter.url, signal),
      headers: { ...hangExporter.headers },
    });
    // What is in a file is kept, and the reports that other processes have left in the directory are for a receiver.
    const keptIn = isFile ? undefined : spoolDirectory;
    return { traces: endpoint('traces'), metrics: endpoint('metrics'), spoolDirectory: keptIn };
  }
  const exporters = readVariable(env, 'OTEL_TRACES_EXPORTER')
    ?.split(',')
    .map((name) => name.trim());
  if (exporters && !exporters.includes('otlp')) return undefined;
  const endpoints = { traces: fromEnvironment(env, 'traces'), metrics: fromEnvironment(env, 'metrics') };
  for (const { url } of Object.values(endpoints)) {
    if (isHttpUrl(url)) continue;
    warn(
      `Expected an http or https URL in OTEL_EXPORTER_OTLP_ENDPOINT, got ${JSON.stringify(url)}: hangs are not reported.`,
    );
    return undefined;
  }
  if (protocol(env, 'traces') === 'grpc' && readVariable(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') === undefined) {
    warn(
      'Hang reports are sent by OTLP/HTTP, but OTEL_EXPORTER_OTLP_PROTOCOL is grpc: hangs are not reported. Set the ' +
        'option hangExporter: { url } to an OTLP/HTTP endpoint.',
    );
    return undefined;
  }
  return { ...endpoints, spoolDirectory };
}

function fromEnvironment(env: Environment, signal: Signal): OtlpEndpoint {
  const name = signal.toUpperCase();
  const signalEndpoint = readVariable(env, `OTEL_EXPORTER_OTLP_${name}_ENDPOINT`);
  // By the specification, the endpoint of a signal is used as is, and the common endpoint is a base URL.
  const url =
    signalEndpoint ?? appendPath(readVariable(env, 'OTEL_EXPORTER_OTLP_ENDPOINT') ?? DEFAULT_ENDPOINT, signal);
  const headers = {
    ...parseHeaders(readVariable(env, 'OTEL_EXPORTER_OTLP_HEADERS')),
    ...parseHeaders(readVariable(env, `OTEL_EXPORTER_OTLP_${name}_HEADERS`)),
  };
  return { ...transport(env, signal), url, headers };
}

function transport(env: Environment, signal: Signal): Omit<OtlpEndpoint, 'url' | 'headers'> {
  const variable = (suffix: string): string | undefined =>
    readVariable(env, `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${suffix}`) ??
    readVariable(env, `OTEL_EXPORTER_OTLP_${suffix}`);
  const timeoutMs = Number(variable('TIMEOUT'));
  return {
    timeoutMs: timeoutMs > 0 ? Math.min(timeoutMs, 2 ** 31 - 1) : DEFAULT_TIMEOUT_MS,
    certificate: variable('CERTIFICATE'),
    clientKey: variable('CLIENT_KEY'),
    clientCertificate: variable('CLIENT_CERTIFICATE'),
  };
}

function protocol(env: Environment, signal: Signal): string | undefined {
  return (
    readVariable(env, `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_PROTOCOL`) ??
    readVariable(env, 'OTEL_EXPORTER_OTLP_PROTOCOL')
  );
}

function appendPath(base: string, signal: Signal): string {
  return `${base.replace(/\/+$/, '')}/v1/${signal}`;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
