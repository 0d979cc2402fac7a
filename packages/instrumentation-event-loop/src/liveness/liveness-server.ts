import { createServer, type Server, type Socket } from 'node:net';
import type { LivenessProblem, LivenessSettings } from '../contract/liveness-data.js';
import { formatAnswer, livenessAnswer, type MainThreadBlock } from './liveness-answer.js';

/** Interval of attempts to listen on a port that is in use, ms. */
const RETRY_MS = 5000;
/** Limits of connections: nothing that reaches the port may keep the thread busy or fill its memory. */
const MAX_CONNECTIONS = 128;
/** From the first byte to the last: a client that sends one byte a second does not stay longer. */
const CONNECTION_LIFETIME_MS = 5000;
const MAX_REQUEST_CHARACTERS = 8192;

/** Nothing is blocked: the thresholds of a server without settings. */
const NEVER = { livenessThresholdMs: Infinity, readinessThresholdMs: Infinity };

/**
 * Answers `GET /livez` and `GET /readyz`. A server of `node:http` costs two to three times the CPU and 9 MB, for the
 * first line of a request.
 */
export class LivenessServer {
  readonly #readBlock: () => MainThreadBlock;
  readonly #onProblem: (problem: LivenessProblem) => void;
  readonly #onListening: () => void;
  readonly #connections = new Set<Socket>();
  #settings: LivenessSettings | undefined;
  #server: Server | undefined;
  #retryTimer: NodeJS.Timeout | undefined;

  /** `onProblem` is called once for each address at most: when the port cannot be opened. */
  constructor(
    readBlock: () => MainThreadBlock,
    onProblem: (problem: LivenessProblem) => void,
    onListening: () => void = () => undefined,
  ) {
    this.#readBlock = readBlock;
    this.#onProblem = onProblem;
    this.#onListening = onListening;
  }

  setSettings(settings: LivenessSettings | undefined): void {
    const isSameAddress = settings?.host === this.#settings?.host && settings?.port === this.#settings?.port;
    this.#settings = settings;
    if (isSameAddress) return;
    this.close();
    if (settings) this.#listen(settings, this.#onProblem);
  }

  close(): void {
    clearTimeout(this.#retryTimer);
    this.#server?.close();
    this.#server = undefined;
    for (const connection of this.#connections) connection.destroy();
  }

  #listen({ host, port }: LivenessSettings, onProblem: (problem: LivenessProblem) => void): void {
    const server = createServer((connection) => {
      this.#accept(connection);
    });
    server.on('error', (error: NodeJS.ErrnoException) => {
      // An error of one connection leaves the server as it is: it listens.
      if (this.#server !== server || server.listening) return;
      onProblem({
        livenessProblem:
          `Expected to answer GET /livez and /readyz on ${host} port ${port}, got: ${error.message}. Set livenessPort ` +
          'and livenessHost (LOOPWATCH_LIVENESS_PORT, LOOPWATCH_LIVENESS_HOST) to a free port of this machine. Everything ' +
          'else works.',
        isPortInUse: error.code === 'EADDRINUSE',
      });
      // The port of an earlier process becomes free when that process has ended. The problem is reported only once.
      this.#retryTimer = setTimeout(() => {
        if (this.#settings) this.#listen(this.#settings, () => undefined);
      }, RETRY_MS);
    });
    this.#server = server;
    server.once('listening', this.#onListening);
    server.listen({ host, port, exclusive: true });
  }

  #accept(connection: Socket): void {
    // Clients that send no request must not keep out the probe, which is answered at once.
    const [oldest] = this.#connections;
    if (oldest && this.#connections.size >= MAX_CONNECTIONS) this.#drop(oldest);
    this.#connections.add(connection);
    const lifetime = setTimeout(() => connection.destroy(), CONNECTION_LIFETIME_MS);
    connection.on('close', () => {
      clearTimeout(lifetime);
      this.#connections.delete(connection);
    });
    connection.on('error', () => undefined); // the client has gone
    connection.setEncoding('latin1');
    let request = '';
    connection.on('data', (text: string) => {
      if (connection.writableEnded) return;
      request += text;
      if (request.includes('\r\n\r\n')) connection.end(formatAnswer(this.#answer(request)));
      else if (request.length > MAX_REQUEST_CHARACTERS) connection.destroy();
    });
  }

  #drop(connection: Socket): void {
    this.#connections.delete(connection);
    connection.destroy();
  }

  #answer(request: string): ReturnType<typeof livenessAnswer> {
    return livenessAnswer(request, this.#readBlock(), this.#settings ?? NEVER);
  }
}
