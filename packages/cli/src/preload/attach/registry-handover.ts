import {
  BroadcastChannel,
  getEnvironmentData,
  type MessagePort,
  receiveMessageOnPort,
  setEnvironmentData,
} from 'node:worker_threads';

import { REGISTRY_KEY } from '@loopwatch/instrumentation-event-loop/internal';

import { guarded } from '../guard.js';
import { unrefHandle } from '../unref.js';

/*
 * A worker thread that ran before the attach does not have the registry, which environment data gives to new workers
 * alone. With it, all threads share one watchdog thread. A `SharedArrayBuffer` can reach it by a `BroadcastChannel`.
 */

/** Name of the channel by which the main thread sends the registry. The CLI of this attach alone has that port. */
export function registryChannel(port: number): string {
  return `loopwatch.registry ${port}`;
}

/**
 * Listens for the registry, in a worker thread. The function that it returns takes it over, also in a thread that has
 * not left the function in which it was interrupted.
 */
export function expectRegistry(port: number): () => void {
  if (getEnvironmentData(REGISTRY_KEY) instanceof SharedArrayBuffer) return () => undefined;
  const channel = new BroadcastChannel(registryChannel(port));
  let received: unknown;
  listen(channel, (data) => {
    received = data;
  });
  unrefHandle(channel);
  return () => {
    // It takes such a channel, too; the types do not say so.
    const next = receiveMessageOnPort(channel as unknown as MessagePort) as { readonly message: unknown } | undefined;
    received ??= next?.message;
    channel.close();
    if (received instanceof SharedArrayBuffer) setEnvironmentData(REGISTRY_KEY, received);
  };
}

/**
 * Calls back with each message. Node.js 22 and later load their own undici to make the event of a `BroadcastChannel`, and
 * its symbols would stay on the thread's `globalThis`. So Node's listener is replaced by this one, which needs no event,
 * at the channel's inner port; where Node.js has no such port, the event is used.
 */
function listen(channel: BroadcastChannel, onMessage: (data: unknown) => void): void {
  const listener = guarded(onMessage);
  const port = innerPort(channel);
  if (port) port.removeAllListeners('message').on('message', listener);
  else {
    channel.onmessage = guarded((event: unknown) => {
      onMessage((event as { readonly data: unknown }).data);
    });
  }
}

function innerPort(channel: BroadcastChannel): MessagePort | undefined {
  const key = Object.getOwnPropertySymbols(channel).find(({ description }) => description === 'kHandle');
  const port = key && (channel as unknown as Readonly<Record<symbol, Partial<MessagePort> | undefined>>)[key];
  return typeof port?.removeAllListeners === 'function' ? (port as MessagePort) : undefined;
}
