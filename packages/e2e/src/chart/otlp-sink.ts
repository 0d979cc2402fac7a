import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Request {
  readonly resourceSpans?: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly { readonly traceId: string; readonly name: string }[] }[];
  }[];
}

export interface ReceivedSpan {
  /** First part of the path that the exporter was given. */
  readonly exporter: string;
  readonly service: string;
  readonly traceId: string;
  readonly name: string;
}

/** A backend that takes OTLP/HTTP in JSON and keeps what it got. */
export class OtlpSink {
  readonly spans: ReceivedSpan[] = [];
  readonly #server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      this.#receive((request.url ?? '').split('/')[1] ?? '', JSON.parse(Buffer.concat(chunks).toString()) as Request);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });

  /** Base URL. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #receive(exporter: string, { resourceSpans = [] }: Request): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      const spans = scopeSpans.flatMap((scope) => scope.spans);
      this.spans.push(...spans.map(({ traceId, name }) => ({ exporter, service, traceId, name })));
    }
  }
}
