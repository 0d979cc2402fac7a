import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

/** A span as OTLP in JSON has it. */
export interface ReceivedSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** Nanoseconds since 1970, in decimal digits. */
  readonly startTimeUnixNano: string;
  /** As `startTimeUnixNano`. */
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
}

interface Traces {
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[] }[];
}

/** Receives OTLP over HTTP in JSON and keeps the bodies. */
export class OtlpReceiver {
  readonly bodies: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        this.bodies.push(body);
        response.end('{}');
      });
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** The variables that send a program's telemetry here. */
  get variables(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    };
  }

  get spans(): ReceivedSpan[] {
    return this.bodies.flatMap((body) =>
      ((JSON.parse(body) as Traces).resourceSpans ?? []).flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) => spans),
      ),
    );
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
