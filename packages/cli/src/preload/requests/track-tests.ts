import type { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';

import { WeakRef } from '../built-ins.js';
import { attempt, guarded } from '../guard.js';
import { isInspectable, plainProperty } from './plain-property.js';
import type { TrackedRequest } from './tracked-request.js';

/** Node.js 24 and newer publish here when a test or a suite of `node:test` begins; nothing where no test runs. */
const CHANNEL = 'tracing:node.test:start';
/** Node's name for the file as a whole. */
const ROOT = '<root>';
/** Characters of the name of a test. */
const MAX_NAME = 200;

/**
 * Code of a test counts as that of a request with the test's name. A request that the test itself makes has its own.
 * Returns a function that ends that.
 */
export function trackTests(storage: AsyncLocalStorage<TrackedRequest>): () => void {
  const tests = channel(CHANNEL);
  // For the whole file, nothing is stored.
  const toStored = guarded((message: unknown) => toTracked(message)) as (message: unknown) => TrackedRequest;
  attempt(() => {
    tests.bindStore(storage, toStored);
  });
  return () => {
    attempt(() => tests.unbindStore(storage));
  };
}

function toTracked(message: unknown): TrackedRequest | undefined {
  if (!isInspectable(message)) return undefined;
  const name = plainProperty(message, 'name');
  if (typeof name !== 'string' || name === ROOT) return undefined;
  const kind = plainProperty(message, 'type') === 'suite' ? 'suite' : 'test';
  const short = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  // The runner keeps the message until the test has ended.
  return { exchange: new WeakRef(message), name: `${kind} '${short}'`, bodyId: undefined };
}
