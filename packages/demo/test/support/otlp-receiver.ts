import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

type AttributeValue = string | number | boolean | readonly AttributeValue[];

export interface ReceivedSpan {
  readonly name: string;
  /** Number of the kind in OTLP: 1 INTERNAL, 2 SERVER, 3 CLIENT. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly durationMs: number;
  readonly isError: boolean;
  readonly linkedSpanIds: readonly string[];
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

export const KIND_SERVER = 2;

interface OtlpSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code?: number };
  links?: { spanId: string }[];
  attributes?: OtlpAttribute[];
}

interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}

interface OtlpValue {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: OtlpValue[] };
}

interface OtlpRequest {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** Receives OTLP/HTTP JSON as a collector does, and keeps the spans. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly serviceNames = new Set<AttributeValue>();
  readonly paths = new Set<string>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<OtlpReceiver> {
    const server = createServer((request, response) => {
      void buffer(request).then((body) => {
        const path = request.url ?? '';
        receiver.paths.add(path);
        if (path === '/v1/traces') receiver.#take(JSON.parse(body.toString('utf8')) as OtlpRequest);
        response.setHeader('content-type', request.headers['content-type'] ?? 'application/json');
        response.end(request.headers['content-type'] === 'application/json' ? '{}' : '');
      });
    });
    const receiver = new OtlpReceiver(server);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Waits for a span until the signal aborts. */
  async waitForSpan(isWanted: (span: ReceivedSpan) => boolean, signal: AbortSignal): Promise<ReceivedSpan> {
    for (;;) {
      const span = this.spans.find(isWanted);
      if (span !== undefined) return span;
      await delay(50, undefined, { signal });
    }
  }

  /** The span and those of its ancestors that have arrived. */
  lineage(span: ReceivedSpan): ReceivedSpan[] {
    const parent = this.spans.find((other) => other.traceId === span.traceId && other.spanId === span.parentSpanId);
    return parent === undefined ? [span] : [span, ...this.lineage(parent)];
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #take({ resourceSpans }: OtlpRequest): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      this.serviceNames.add(readAttributes(resource.attributes)['service.name']!);
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) this.spans.push(readSpan(span));
    }
  }
}

function readSpan(span: OtlpSpan): ReceivedSpan {
  return {
    name: span.name,
    kind: span.kind,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
    isError: span.status?.code === 2,
    linkedSpanIds: (span.links ?? []).map((link) => link.spanId),
    attributes: readAttributes(span.attributes ?? []),
  };
}

function readAttributes(attributes: readonly OtlpAttribute[]): Record<string, AttributeValue> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));
}

function readValue(value: OtlpValue): AttributeValue {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(readValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue ?? '';
}
