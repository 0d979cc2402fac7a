import { BroadcastChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { guarded } from '../contract/guard.js';

/** Increment it when the messages change. */
const CHANNEL_NAME = 'loopwatch.blocks.1';

/**
 * Carries blocks of worker threads without an SDK to the main thread. A pool worker that sleeps between its tasks never
 * iterates its loop, so no SDK can start or export there. Sending needs no iteration of the sender's loop.
 */
export class BlockRelay {
  readonly #onMessage: (data: unknown) => void;
  #channel: BroadcastChannel | undefined;

  constructor(onMessage: (data: unknown) => void) {
    this.#onMessage = onMessage;
  }

  /** Called in a worker thread. */
  send(data: unknown): void {
    this.#open().postMessage(data);
  }

  /** Called in the main thread; does nothing the second time. */
  receive(): void {
    if (this.#channel) return;
    const channel = this.#open();
    channel.onmessage = guarded((event: unknown) => {
      this.#onMessage((event as { data: unknown }).data);
    });
    channel.unref();
  }

  /** Handles the messages that have arrived and not been handled yet. */
  drain(): void {
    if (!this.#channel) return;
    const port = this.#channel as unknown as MessagePort;
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
      this.#onMessage(next.message);
    }
  }

  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }

  #open(): BroadcastChannel {
    if (!this.#channel) {
      this.#channel = new BroadcastChannel(CHANNEL_NAME);
      this.#channel.unref();
    }
    return this.#channel;
  }
}
