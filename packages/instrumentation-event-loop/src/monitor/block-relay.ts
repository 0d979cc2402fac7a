import { BroadcastChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { guarded } from '../contract/guard.js';
import { canUnrefPorts, withOwnPorts } from '../contract/original-methods.js';
import { inner, unrefChannel } from '../contract/unref.js';

/** Increment it when the messages change. */
const CHANNEL_NAME = 'loopwatch.blocks.2';

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

  /** Called in a worker thread. An open channel would also receive what the other workers send, and keep it unread. */
  send(data: unknown): void {
    if (!canUnrefPorts) return;
    const channel = openChannel();
    channel.postMessage(data);
    channel.close();
  }

  /** Called in the main thread; does nothing the second time. */
  receive(): void {
    if (this.#channel || !canUnrefPorts) return;
    this.#channel = openChannel(this.#onMessage);
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
}

function openChannel(onMessage?: (data: unknown) => void): BroadcastChannel {
  return withOwnPorts(() => {
    const channel = new BroadcastChannel(CHANNEL_NAME);
    if (onMessage) listen(channel, onMessage);
    unrefChannel(channel);
    return channel;
  });
}

/**
 * Calls back with each message, by the channel's inner port: to make the event of a `BroadcastChannel`, Node.js 22 and
 * later load their own undici, which takes time and leaves symbols on `globalThis`.
 */
function listen(channel: BroadcastChannel, onMessage: (data: unknown) => void): void {
  const listener = guarded(onMessage);
  const port = inner(channel, 'kHandle') as Partial<MessagePort> | undefined;
  if (port?.removeAllListeners && port.on) {
    port.removeAllListeners('message');
    port.on('message', listener);
  } else {
    channel.onmessage = guarded((event: unknown) => {
      onMessage((event as { readonly data: unknown }).data);
    });
  }
}
