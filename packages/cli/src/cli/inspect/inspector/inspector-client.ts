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

export async function connectInspector(url: string): Promise<InspectorClient> {
  const socket = new WebSocket(url, {
    // Stacks can be long, and nothing but this machine is connected.
    perMessageDeflate: false,
    handshakeTimeout: CONNECT_TIMEOUT_MS,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  const pending = new Map<number, Pending>();
  const listeners = new Map<string, (params: unknown) => void>();
  let lastId = 0;
  let hasEnded = false;
  const closedError = (): Error => (hasEnded ? new ProcessEnds() : new ConnectionClosed());
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      for (const { reject } of pending.values()) reject(closedError());
      pending.clear();
      resolve();
    });
  });
  socket.on('message', (data) => {
    const message = parseMessage((data as Buffer).toString('utf8'));
    if (!message) {
      socket.terminate(); // no inspector
      return;
    }
    const { id, method, params, result, error } = message;
    if (method === END) {
      hasEnded = true;
      socket.terminate();
    }
    try {
      if (method !== undefined) listeners.get(method)?.(params);
    } catch {
      socket.terminate(); // its parameters are none of that event
    }
    if (id === undefined) return;
    if (error) pending.get(id)?.reject(new Error(String(error.message).slice(0, MAX_ERROR)));
    else pending.get(id)?.resolve(result);
    pending.delete(id);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (cause) => {
      reject(new ConnectionClosed({ cause }));
    });
  });
  socket.on('error', () => undefined); // `close` follows

  const client: InspectorClient = {
    call: (method, params, ms) =>
      new Promise((resolve, reject) => {
        // Nothing would answer, and nothing would say so: it would look as if the thread does not answer.
        if (socket.readyState !== WebSocket.OPEN) {
          reject(closedError());
          return;
        }
        const id = ++lastId;
        const timer = setTimeout(() => {
          pending.delete(id);
          reject(new NoAnswer(`${method} got no answer in ${ms} ms.`));
        }, ms);
        pending.set(id, {
          resolve: (result) => {
            clearTimeout(timer);
            resolve(result as never);
          },
          reject: (error) => {
            clearTimeout(timer);
            reject(error);
          },
        });
        socket.send(JSON.stringify({ id, method, params }));
      }),
    on: (method, listener) => void listeners.set(method, listener),
    close: async () => {
      socket.close();
      const terminate = setTimeout(() => {
        socket.terminate();
      }, 1000);
      await closed;
      clearTimeout(terminate);
    },
  };
  client.call(TELL_OF_END, { enabled: true }, TELL_MS).catch(() => undefined);
  return client;
}

function parseMessage(text: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}
