import type { createServer, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

import { answerMessage } from './answer.js';

/** Returns whether it answers the request; if not, the next handler is asked. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface ServerOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly handlers: readonly Handler[];
  /** Time limit for receiving a request, in ms: a slower one is answered with 408. */
  readonly requestTimeoutMs?: number;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Imported by name, `node:http` would evaluate all of its exports, among them `WebSocket` with the whole of `fetch`: that
 * takes longer than the start of Node.js.
 */
const requireNode = createRequire(import.meta.url);

const REQUEST_TIMEOUT_MS = 30_000;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i;

/** Starts the HTTP server; rejects with a message that says what to do when it cannot listen. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const onlyLoopback = isLoopbackHost(options.host);
  const http = requireNode('node:http') as { createServer: typeof createServer };
  const server = http.createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: Math.min(requestTimeoutMs, 10_000),
      connectionsCheckingInterval: Math.max(100, Math.min(requestTimeoutMs / 4, 5_000)),
    },
    (request, response) => {
      if (onlyLoopback && !LOOPBACK.test(request.headers.host ?? 'localhost')) {
        // DNS rebinding: a web page whose host name resolves to 127.0.0.1 must not read the data.
        answerMessage(response, 403, 'Expected a loopback name in the Host header.');
        return;
      }
      if (!options.handlers.some((handler) => handler(request, response))) {
        answerMessage(response, 404, 'Not found.');
      }
    },
  );
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host.includes(':') ? `[${host}]` : host);
}

async function listen(server: Server, { host, port }: ServerOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Error(explainListenError(error, host, port), { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

function explainListenError(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code ?? '') {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use, perhaps by an OpenTelemetry Collector or another loopwatch. Stop it, or choose another port with --port (0 selects a free port).`;
    case 'EACCES':
      return `Not permitted to listen on port ${port} of ${host}. Choose a port above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `Expected an address of this machine as --host, got ${host}.`;
    default:
      return `Cannot listen on ${host}:${port}: ${error.message}`;
  }
}
