/** What the parser of the SDK makes of the exporters in OpenTelemetry's configuration file. */
export interface ExportersModel {
  readonly tracer_provider?: { readonly processors?: readonly Pipeline[] } | null;
  readonly meter_provider?: { readonly readers?: readonly Pipeline[] } | null;
}

/** By the kind of processor or reader, such as `batch`. */
type Pipeline = Readonly<Record<string, { readonly exporter?: { readonly otlp_http?: OtlpHttp | null } } | null>>;

interface OtlpHttp {
  readonly endpoint?: string | null;
  readonly headers?: readonly { readonly name: string; readonly value: string | null }[] | null;
  readonly headers_list?: string | null;
  readonly timeout?: number | null;
  readonly tls?: { readonly ca_file?: string; readonly key_file?: string; readonly cert_file?: string } | null;
}

/**
 * The variables of OpenTelemetry that say the same as the first exporter of each signal by OTLP over HTTP. With one for
 * traces, `OTEL_TRACES_EXPORTER` is `otlp`, whatever the environment has: the SDK reads the file instead.
 */
export function exporterVariables({ tracer_provider, meter_provider }: ExportersModel): Record<string, string> {
  const traces = variablesOf('TRACES', tracer_provider?.processors);
  const isTraced = Object.keys(traces).length > 0;
  return {
    ...traces,
    ...variablesOf('METRICS', meter_provider?.readers),
    ...(isTraced && { OTEL_TRACES_EXPORTER: 'otlp' }),
  };
}

function variablesOf(signal: string, pipelines: readonly Pipeline[] = []): Record<string, string> {
  const exporters = pipelines.flatMap((pipeline) => Object.values(pipeline).map((each) => each?.exporter?.otlp_http));
  const exporter = exporters.find((each) => each?.endpoint);
  if (!exporter) return {};
  const { endpoint, headers, headers_list: list, timeout, tls } = exporter;
  const pairs = headers?.map(({ name, value }) => `${name}=${encodeURIComponent(value ?? '')}`) ?? [];
  const values = {
    ENDPOINT: endpoint,
    HEADERS: [list, ...pairs].filter(Boolean).join(','), // the later of two with one name counts
    TIMEOUT: timeout,
    CERTIFICATE: tls?.ca_file,
    CLIENT_KEY: tls?.key_file,
    CLIENT_CERTIFICATE: tls?.cert_file,
  };
  const known = Object.entries(values).filter(([, value]) => value);
  return Object.fromEntries(known.map(([name, value]) => [`OTEL_EXPORTER_OTLP_${signal}_${name}`, String(value)]));
}
