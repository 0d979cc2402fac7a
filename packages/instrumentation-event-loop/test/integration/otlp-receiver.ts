import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
}

/** When a thread was blocked, whatever the culprit, in ms since the epoch. */
export interface ReceivedBlock {
  readonly threadId: number;
  readonly startMs: number;
  readonly endMs: number;
}

interface OtlpTraces {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly OtlpSpan[];
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
  /**
   * Function names of the `event-loop-blocked` spans, but for what a busy host alone makes a block: code of OpenTelemetry's
   * packages, such as a resource detector, and a short callback or own work that waited for a CPU. An anonymous function is named with
   * its place and cause.
   */
  readonly culprits: string[];
  /** For each of them, `process.pid` of its resource. */
  readonly processIds: number[];
  readonly metricNames: Set<string>;
  /** Of all `event-loop-blocked` spans. */
  readonly blocks: readonly ReceivedBlock[];
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
  const culprits: string[] = [];
  const processIds: number[] = [];
  const metricNames = new Set<string>();
  const blocks: ReceivedBlock[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      if (request.url === '/v1/traces') {
        const traces = JSON.parse(body) as OtlpTraces;
        blocks.push(...timesOf(traces));
        for (const { culprit, processId } of blocksOf(traces)) {
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
    blocks,
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
      .map(({ attributes }) => blockOf(attributes))
      .filter((block) => !isOfTelemetry(block) && !isOfHost(block))
      .map((block) => ({ culprit: nameOf(block), processId }));
  });
}

function timesOf({ resourceSpans = [] }: OtlpTraces): ReceivedBlock[] {
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .filter(({ name }) => name === 'event-loop-blocked')
    .map(({ attributes, startTimeUnixNano, endTimeUnixNano }) => ({
      threadId: Number(valueOf(attributes, 'thread.id')?.['intValue']),
      startMs: Number(startTimeUnixNano) / 1e6,
      endMs: Number(endTimeUnixNano) / 1e6,
    }));
}

interface ExportedBlock {
  readonly functionName: string;
  readonly file: string;
  readonly line: string;
  readonly cause: string;
}

function blockOf(attributes: readonly OtlpAttribute[]): ExportedBlock {
  const textOf = (key: string): string => String(Object.values(valueOf(attributes, key) ?? { none: UNKNOWN })[0]);
  return {
    functionName: textOf('code.function.name'),
    file: textOf('code.file.path'),
    line: textOf('code.line.number'),
    cause: textOf('event_loop.blocked.cause'),
  };
}

function nameOf({ functionName, file, line, cause }: ExportedBlock): string {
  return functionName === ANONYMOUS ? `${functionName} at ${file}:${line}, ${cause}` : functionName;
}

function isOfTelemetry({ file }: ExportedBlock): boolean {
  return file.includes('/node_modules/@opentelemetry/');
}

/** The programs of these tests block in functions that have a name; own work is short, unless it waits for a CPU. */
function isOfHost({ functionName, cause }: ExportedBlock): boolean {
  return [ANONYMOUS, UNKNOWN, OWN_WORK].includes(functionName) && cause === 'cpu_starved';
}

const ANONYMOUS = '<anonymous>';
const OWN_WORK = "Loopwatch's own work";
/** Of an attribute that the span does not have. */
const UNKNOWN = 'unknown';

function valueOf(attributes: readonly OtlpAttribute[], key: string): OtlpAttribute['value'] | undefined {
  return attributes.find((attribute) => attribute.key === key)?.value;
}

function namesOf({ resourceMetrics = [] }: OtlpMetrics): string[] {
  return resourceMetrics
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)
    .map(({ name }) => name);
}
