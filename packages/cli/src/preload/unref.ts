import { setTimeout, clearTimeout } from 'node:timers';
import type { Socket } from 'node:net';
import type { BroadcastChannel } from 'node:worker_threads';

/*
 * What must not keep the program alive. The program can replace the methods `unref` of Node's classes, and may have done so
 * before `loopwatch attach` evaluates this file: see the instrumentation's `contract/unref.ts`.
 */

type Unref = (this: object) => unknown;

const { apply } = Reflect;
const timer = setTimeout(() => undefined, 1);
// eslint-disable-next-line @typescript-eslint/unbound-method -- called with the timer as its `this`
const { unref: unrefOfTimer, refresh: refreshOfTimer } = timer;
/** Whether timers are those of Node.js. The fake ones of a test never run, and others would keep the program alive. */
export const areTimersIntact = '_idleStart' in timer && isUnrefd(timer);
clearTimeout(timer);

export function unrefTimer(timeout: NodeJS.Timeout): NodeJS.Timeout {
  apply(unrefOfTimer as Unref, timeout, []);
  return timeout;
}

/** Arms a timer of this kind again, with the context in which it was made. */
export function refreshTimer(timeout: NodeJS.Timeout): void {
  apply(refreshOfTimer as Unref, timeout, []);
}

/** By Node's own handle, where it has one. */
export function unrefHandle(owner: Socket | BroadcastChannel): void {
  const key = Object.getOwnPropertySymbols(owner).find(({ description }) => description === 'kHandle') ?? '_handle';
  const handle = Reflect.get(owner, key) as { unref?: Unref } | null | undefined;
  if (handle?.unref) handle.unref();
  else owner.unref();
}

function isUnrefd(timeout: NodeJS.Timeout): boolean {
  try {
    unrefTimer(timeout);
  } catch {
    return false;
  }
  const key = Object.getOwnPropertySymbols(timeout).find(({ description }) => description === 'refed');
  return key === undefined || Reflect.get(timeout, key) === false;
}
