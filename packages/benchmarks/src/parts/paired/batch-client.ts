import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** The answer of `/bench/batch-end`, as `subjects/server.cjs` writes it. */
const END_OF_BATCH = '"end of batch"';

const TAIL_BYTES = 512;

/**
 * A small client that always sends in the same way: the requests of a batch leave in one write, and the answer to the
 * last one comes after all others. So the number of requests that a server finds at once, and with it the number of
 * loop iterations they take, does not depend on when the client gets a CPU.
 */
export class BatchClient {
  readonly #socket: Socket;
  #tail = '';
  #waiting: { readonly resolve: (tail: string) => void; readonly reject: (error: Error) => void } | undefined;
  #isComplete: (tail: string) => boolean = () => false;

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => {
      const text = chunk.subarray(-TAIL_BYTES).toString('latin1');
      this.#tail = (this.#tail + text).slice(-TAIL_BYTES);
      if (this.#isComplete(this.#tail)) this.#waiting?.resolve(this.#tail);
    });
    this.#socket.on('error', (error) => this.#waiting?.reject(error));
    this.#socket.on('close', () =>
      this.#waiting?.reject(new Error('Expected an answer, but the server closed the connection.')),
    );
  }

  /** Sends that many requests at once and waits until all are answered. */
  async sendBatch(requests: number): Promise<void> {
    await this.#exchange([...Array<string>(requests).fill('/'), '/bench/batch-end'], (tail) =>
      tail.endsWith(END_OF_BATCH),
    );
  }

  /** Returns the JSON that the server answers to a question about itself. */
  async ask<Answer>(path: string): Promise<Answer> {
    const tail = await this.#exchange([path], (answer) => answer.endsWith('}'));
    if (!tail.startsWith('HTTP/1.1 200')) throw new Error(`Expected status 200 of ${path}, got: ${tail}`);
    return JSON.parse(tail.slice(tail.indexOf('\r\n\r\n'))) as Answer;
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  async #exchange(paths: readonly string[], isComplete: (tail: string) => boolean): Promise<string> {
    this.#tail = '';
    this.#isComplete = isComplete;
    try {
      return await new Promise<string>((resolve, reject) => {
        this.#waiting = { resolve, reject };
        this.#socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''));
      });
    } finally {
      this.#waiting = undefined;
    }
  }
}
