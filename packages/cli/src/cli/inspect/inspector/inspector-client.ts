import { WebSocket } from 'ws';

/** A connection to the inspector of a process, by the Chrome DevTools Protocol. */
export interface InspectorClient {
  /** Resolves with the result. Rejects on an error of the protocol, and when the connection ends or `ms` have passed. */
  call<T>(method: string, params: object, ms: number): Promise<T>;
  on(method: string, listener: (params: unknown) => void): void;
  /** Ends the connection and resolves when it has ended. */
  close(): Promise<void>;
}

/** The thread has not answered in time: it is inside a call that V8 cannot interrupt. */
export class NoAnswer extends Error {}

/** The inspector has closed the connection: it was just being closed, or the process has ended. */
export class ConnectionClosed extends Error {
  constructor(options?: ErrorOptions) {
    super('The process has closed the connection, or ended.', options);
  }
}

/**
 * The process ends, and has waited for this session: it must not be asked again. Not a `ConnectionClosed`, which may be
 * that of an inspector alone.
 */
export class ProcessEnds extends Error {
  constructor() {
    super('The process has ended before it could answer.');
  }
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: unknown };
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 5000;
/** Stacks of some hundreds of frames have some hundred kB. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Characters of the text of an error. */
const MAX_ERROR = 500;
/**
 * A process that ends waits until its sessions have gone, and answers nothing meanwhile. It says so to those that have asked
 * for it, which leave at once.
 */
const TELL_OF_END = 'NodeRuntime.notifyWhenWaitingForDisconnect';
const END = 'NodeRuntime.waitingForDisconnect';
const TELL_MS = 5000;
/** A connection that has not ended by then is cut off. */
const CLOSE_TIMEOUT_MS = 1000;

/** Rejects with `ConnectionClosed` where nothing answers at the URL. */
export async function connectInspector(url: string): Promise<InspectorClient> {
  const socket = new WebSocket(url, {
    // Stacks can be long, and nothing but this machine is connected.
    perMessageDeflate: false,
    handshakeTimeout: CONNECT_TIMEOUT_MS,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  const client = new SocketClient(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (cause) => {
      reject(new ConnectionClosed({ cause }));
    });
  });
  socket.on('error', () => undefined); // `close` follows
  client.call(TELL_OF_END, { enabled: true }, TELL_MS).catch(() => undefined);
  return client;
}

class SocketClient implements InspectorClient {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, (params: unknown) => void>();
  readonly #closed: Promise<void>;
  #lastId = 0;
  #hasProcessEnded = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#closed = new Promise((resolve) => {
      socket.once('close', () => {
        for (const { reject } of this.#pending.values()) reject(this.#closedError());
        this.#pending.clear();
        resolve();
      });
    });
    socket.on('message', (data) => {
      const message = parseMessage((data as Buffer).toString('utf8'));
      if (message) this.#onMessage(message);
      else socket.terminate(); // no inspector
    });
  }

  call<T>(method: string, params: object, ms: number): Promise<T> {
    return new Promise((resolve, reject) => {
      // Nothing would answer, and nothing would say so: it would look as if the thread does not answer.
      if (this.#socket.readyState !== WebSocket.OPEN) {
        reject(this.#closedError());
        return;
      }
      const id = ++this.#lastId;
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new NoAnswer(`${method} got no answer in ${ms} ms.`));
      }, ms);
      this.#pending.set(id, {
        resolve: (result) => {
          clearTimeout(timer);
          resolve(result as T);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  on(method: string, listener: (params: unknown) => void): void {
    this.#listeners.set(method, listener);
  }

  async close(): Promise<void> {
    this.#socket.close();
    const terminate = setTimeout(() => {
      this.#socket.terminate();
    }, CLOSE_TIMEOUT_MS);
    await this.#closed;
    clearTimeout(terminate);
  }

  #onMessage({ id, method, params, result, error }: Message): void {
    if (method === END) {
      this.#hasProcessEnded = true;
      this.#socket.terminate();
    }
    try {
      if (method !== undefined) this.#listeners.get(method)?.(params);
    } catch {
      this.#socket.terminate(); // its parameters are not those of that event
    }
    if (id === undefined) return;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error) pending?.reject(new Error(String(error.message).slice(0, MAX_ERROR)));
    else pending?.resolve(result);
  }

  #closedError(): Error {
    return this.#hasProcessEnded ? new ProcessEnds() : new ConnectionClosed();
  }
}

function parseMessage(text: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}
