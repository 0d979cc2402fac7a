import { executionAsyncResource } from 'node:async_hooks';
import { types } from 'node:util';

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

function classOf(resource: unknown): unknown {
  for (let object = resource; isInspectable(object); object = Object.getPrototypeOf(object)) {
    const constructor = ownProperty(object, 'constructor');
    if (constructor) return constructor.value;
  }
  return undefined;
}

/** The value of an own property; undefined for a getter. */
function plainProperty(object: unknown, key: string): unknown {
  return ownProperty(object, key)?.value;
}

function ownProperty(object: unknown, key: string): PropertyDescriptor | undefined {
  return isInspectable(object) ? Object.getOwnPropertyDescriptor(object, key) : undefined;
}

/** Whether reading property descriptors and the prototype of the value runs no code of the application. */
function isInspectable(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && !types.isProxy(value);
}
