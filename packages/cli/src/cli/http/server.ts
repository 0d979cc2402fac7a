import type { createServer, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

import { answerMessage } from './answer.js';
import { guarded, reportFailure } from './failures.js';
import { namesOf } from './host.js';
import { parseTarget, type RequestTarget } from './target.js';
import { isLoopbackAddress, type Listening, refusalOf } from './visitors.js';

/** Returns whether it answers the request; if not, the next handler is asked. It may throw or reject. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
) => boolean | Promise<boolean>;

export interface ServerOptions {
  /** An address of this machine. */
  readonly address: string;
  /** The name that was given for it. */
  readonly name?: string;
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
/** The page asks for a culprit by its name and path, whose characters have up to nine in an address. */
const MAX_HEADER_BYTES = 64 * 1024;
/** A sender has one or two connections, a page up to six. */
const MAX_CONNECTIONS = 1_000;

/** Starts the HTTP server; rejects with a message that says what to do when it cannot listen. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { address, name = address, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const listening: Listening = { isLoopback: isLoopbackAddress(address), names: namesOf(name) };
  const http = requireNode('node:http') as { createServer: typeof createServer };
  const server = http.createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: requestTimeoutMs,
      headersTimeout: Math.min(requestTimeoutMs, 10_000),
      connectionsCheckingInterval: Math.max(100, Math.min(requestTimeoutMs / 4, 5_000)),
    },
    guarded((request: IncomingMessage, response: ServerResponse) => {
      // Without these listeners, a client that has gone would end the process.
      request.on('error', () => undefined);
      response.on('error', () => undefined);
      void respond(request, response, options.handlers, listening);
    }),
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.on(
    'drop',
    guarded(() => {
      server.closeIdleConnections();
    }),
  );
  await listen(server, options);
  // Accepting a connection can fail, as without a free descriptor: the server goes on.
  server.on('error', reportFailure);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`,
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

/** The guard around all handlers: never rejects, and every request gets an answer or loses its connection. */
async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  handlers: readonly Handler[],
  listening: Listening,
): Promise<void> {
  try {
    const target = parseTarget(request.url);
    const refusal = refusalOf(request.headers, target.authority, listening);
    if (refusal !== undefined) {
      answerMessage(response, 403, refusal);
      return;
    }
    for (const handler of handlers) if (await handler(request, response, target)) return;
    answerMessage(response, 404, 'Not found.');
  } catch (error) {
    reportFailure(error);
    abandon(response);
  }
}

function abandon(response: ServerResponse): void {
  try {
    if (response.headersSent) response.destroy();
    else answerMessage(response, 500, 'Loopwatch failed to answer; see its output for the error.');
  } catch (error) {
    reportFailure(error);
    response.destroy();
  }
}

async function listen(server: Server, { address, name = address, port }: ServerOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Error(explainListenError(error, name, port), { cause: error }));
    });
    server.listen(port, address, resolve);
  });
}

function explainListenError(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code ?? '') {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use, perhaps by an OpenTelemetry Collector or another loopwatch. Stop it, or choose another port with --port (0 selects a free port).`;
    case 'EACCES':
      return `Not permitted to listen on port ${port} of ${host}. Choose a port above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
      return `Expected an address of this machine as --host, got ${host}.`;
    default:
      return `Cannot listen on ${host}:${port}: ${error.message}`;
  }
}
