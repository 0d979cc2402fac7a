import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpTraces {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly { readonly name: string; readonly attributes: readonly OtlpAttribute[] }[];
    }[];
  }[];
}

interface OtlpMetrics {
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
}

/** Receives what an application exports by OTLP/HTTP JSON. */
export interface OtlpReceiver extends AsyncDisposable {
  /** The environment that makes an SDK export to this receiver. */
  readonly env: Readonly<Record<string, string>>;
  /** Function names of the `event-loop-blocked` spans. */
  readonly culprits: string[];
  /** For each of them, `process.pid` of its resource. */
  readonly processIds: number[];
  readonly metricNames: Set<string>;
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
  const culprits: string[] = [];
  const processIds: number[] = [];
  const metricNames = new Set<string>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      if (request.url === '/v1/traces') {
        for (const { culprit, processId } of blocksOf(JSON.parse(body) as OtlpTraces)) {
          culprits.push(culprit);
          processIds.push(processId);
        }
      }
      if (request.url === '/v1/metrics')
        namesOf(JSON.parse(body) as OtlpMetrics).forEach((name) => metricNames.add(name));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'otlp',
    },
    culprits,
    processIds,
    metricNames,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function blocksOf({ resourceSpans = [] }: OtlpTraces): { culprit: string; processId: number }[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const processId = Number(valueOf(resource.attributes, 'process.pid')?.['intValue']);
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .filter(({ name }) => name === 'event-loop-blocked')
      .map(({ attributes }) => {
        const value = valueOf(attributes, 'code.function.name')?.['stringValue'];
        return { culprit: typeof value === 'string' ? value : 'unknown', processId };
      });
  });
}

function valueOf(attributes: readonly OtlpAttribute[], key: string): OtlpAttribute['value'] | undefined {
  return attributes.find((attribute) => attribute.key === key)?.value;
}

function namesOf({ resourceMetrics = [] }: OtlpMetrics): string[] {
  return resourceMetrics
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)
    .map(({ name }) => name);
}
