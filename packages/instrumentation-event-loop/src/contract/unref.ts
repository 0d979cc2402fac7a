import timers from 'node:timers';
import { Worker, type BroadcastChannel } from 'node:worker_threads';
import { Object, Reflect, uncurryThis } from './built-ins.js';
import { unrefMessagePort } from './original-methods.js';

/*
 * All that this package starts in a thread of the application, and that must not keep it alive. The application can
 * replace the methods `unref` of Node's classes, with functions that throw or do nothing: these are taken when the module
 * loads, or come from Node's own handles.
 */

type Unref = (this: object) => unknown;
type Timer = NodeJS.Timeout | NodeJS.Immediate;

const { apply } = Reflect;
const descriptionOf = uncurryThis(
  Object.getOwnPropertyDescriptor(Symbol.prototype, 'description')!.get as (this: symbol) => string | undefined,
);
const NO_ARGUMENTS: readonly never[] = [];

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with the worker as its `this`
const unrefOfWorker = Worker.prototype.unref;
const timeout = timers.setTimeout(() => undefined, 1);
const immediate = timers.setImmediate(() => undefined);
const unrefOfTimeout = unrefOf(timeout);
const unrefOfImmediate = unrefOf(immediate);

/**
 * Whether timers can be made not to keep the process alive: false where the application has replaced their methods before
 * this module has loaded.
 */
export const canUnrefTimers = isUnrefd(timeout, unrefOfTimeout) && isUnrefd(immediate, unrefOfImmediate);
timers.clearTimeout(timeout);
timers.clearImmediate(immediate);

export function unrefTimeout(timer: NodeJS.Timeout): NodeJS.Timeout {
  if (unrefOfTimeout) apply(unrefOfTimeout, timer, NO_ARGUMENTS);
  return timer;
}

export function unrefImmediate(timer: NodeJS.Immediate): NodeJS.Immediate {
  if (unrefOfImmediate) apply(unrefOfImmediate, timer, NO_ARGUMENTS);
  return timer;
}

/** Call it after the last listener has been added: Node makes the port of a worker count with its first listener. */
export function unrefWorker(worker: Worker): void {
  const handle = inner(worker, 'kHandle') as { unref?: Unref } | undefined;
  if (handle?.unref) handle.unref();
  else apply(unrefOfWorker, worker, NO_ARGUMENTS);
  const port = inner(worker, 'kPublicPort');
  if (port) unrefMessagePort(port);
}

/** As `unrefWorker`. */
export function unrefChannel(channel: BroadcastChannel): void {
  const port = inner(channel, 'kHandle');
  if (port) unrefMessagePort(port);
  else channel.unref();
}

function unrefOf(timer: Timer): Unref | undefined {
  const { unref } = Reflect.getPrototypeOf(timer) as { unref?: unknown };
  return typeof unref === 'function' ? (unref as Unref) : undefined;
}

function isUnrefd(timer: Timer, unref: Unref | undefined): boolean {
  try {
    if (unref) apply(unref, timer, NO_ARGUMENTS);
    return inner(timer, 'refed') !== true; // fake timers of a test have no such property, and never run
  } catch {
    return false;
  }
}

/** What Node keeps in an object of its own under a symbol of that name. */
export function inner(owner: object, name: string): unknown {
  const keys = Object.getOwnPropertySymbols(owner);
  for (let i = 0; i < keys.length; i++) {
    if (descriptionOf(keys[i]!) === name) return Reflect.get(owner, keys[i]!);
  }
  return undefined;
}
