import { executionAsyncResource } from 'node:async_hooks';
import { inner } from '../contract/unref.js';
import { isInspectable, ownProperty, plainProperty } from '../contract/plain-property.js';

/** Classes whose name differs from their type in `async_hooks`. */
const PROVIDER_TYPES: Readonly<Record<string, string>> = {
  TCP: 'TCPWRAP',
  Pipe: 'PIPEWRAP',
  TTY: 'TTYWRAP',
  UDP: 'UDPWRAP',
  Process: 'PROCESSWRAP',
  HTTPParser: 'HTTPINCOMINGMESSAGE',
  FSReqCallback: 'FSREQCALLBACK',
  FSReqPromise: 'FSREQPROMISE',
  GetAddrInfoReqWrap: 'GETADDRINFOREQWRAP',
  GetNameInfoReqWrap: 'GETNAMEINFOREQWRAP',
  TCPConnectWrap: 'TCPCONNECTWRAP',
  PipeConnectWrap: 'PIPECONNECTWRAP',
  WriteWrap: 'WRITEWRAP',
  ShutdownWrap: 'SHUTDOWNWRAP',
  MessagePort: 'MESSAGEPORT',
  Zlib: 'ZLIB',
  StatWatcher: 'STATWATCHER',
  // Node.js runs what belongs to no resource, such as listeners of `beforeExit` and `exit`, in that of `process`.
  process: '',
};

/**
 * Type of the asynchronous resource whose callback runs, as `async_hooks` names it; empty outside of a callback. The
 * resource may be an object of the application, so reading it must not run its code: neither a getter nor a trap of a
 * proxy.
 */
export function currentAsyncResource(): string {
  const resource: object | undefined = executionAsyncResource();
  // An `AsyncResource` of a library or of Node's HTTP has its type as a plain property.
  const type = plainProperty(resource, 'type');
  if (typeof type === 'string' && type !== '') return type;
  const name = plainProperty(classOf(resource), 'name');
  if (typeof name !== 'string') return '';
  // `process.nextTick` queues plain objects.
  if (name === 'Object') return ownProperty(resource, 'callback') && ownProperty(resource, 'args') ? 'TickObject' : '';
  return PROVIDER_TYPES[name] ?? name;
}

/**
 * Whether a timer runs that is not pending any more, and that kept the loop alive: Node.js counts it as active until its
 * callback has returned.
 */
export function isInEndedTimer(): boolean {
  const resource: object | undefined = executionAsyncResource();
  return (
    plainProperty(classOf(resource), 'name') === 'Timeout' &&
    plainProperty(resource, '_repeat') === null &&
    plainProperty(resource, '_destroyed') === false &&
    plainProperty(resource, '_idleNext') === null &&
    inner(resource, 'refed') === true
  );
}

function classOf(resource: unknown): unknown {
  for (let object = resource; isInspectable(object); object = Object.getPrototypeOf(object)) {
    const constructor = ownProperty(object, 'constructor');
    if (constructor) return constructor.value;
  }
  return undefined;
}
