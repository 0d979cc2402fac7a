import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const ROUTE = /^\/2018-06-01\/runtime\/invocation\/(?:(next)|([^/]+)\/(response|error))$/;

/** The side of AWS Lambda in its Runtime API: hands events to one process and takes its answers. */
export class LambdaService {
  readonly #server: Server;
  #waiting: ServerResponse | undefined;
  #whenIdle: (() => void) | undefined;
  #invocations = 0;
  #answer = '';

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<LambdaService> {
    const server = createServer();
    const service = new LambdaService(server);
    server.on('request', (request, response) => {
      const [, next, , outcome] = ROUTE.exec(request.url ?? '') ?? [];
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        if (next !== undefined) {
          service.#waiting = response;
          service.#whenIdle?.();
          return;
        }
        service.#answer = outcome === 'response' ? body : `failed: ${body}`;
        response.writeHead(202).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  /** What the runtime finds in `AWS_LAMBDA_RUNTIME_API`. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when the process waits for the next event: from here on, Lambda freezes it. */
  async idle(): Promise<void> {
    if (this.#waiting !== undefined) return;
    await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  /** Hands over an event; resolves with the answer when the process waits for the next event. */
  async invoke(event: unknown): Promise<string> {
    await this.idle();
    const response = this.#waiting!;
    this.#waiting = undefined;
    response.setHeader('Lambda-Runtime-Aws-Request-Id', `invocation-${++this.#invocations}`);
    response.setHeader(
      'Lambda-Runtime-Invoked-Function-Arn',
      'arn:aws:lambda:eu-north-1:123456789012:function:invoices',
    );
    response.end(JSON.stringify(event));
    await this.idle();
    return this.#answer;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
