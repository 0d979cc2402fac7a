import { executionAsyncResource } from 'node:async_hooks';
import { types } from 'node:util';

/** Classes whose provider type in `async_hooks` is called otherwise. */
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
 * Type of the asynchronous resource whose callback runs, under the name `async_hooks` gives it; empty outside of one. The
 * resource may be the application's own object: nothing of it is run, neither a getter nor a proxy's trap.
 */
export function currentAsyncResource(): string {
  const resource: object | undefined = executionAsyncResource();
  // An AsyncResource of a library (HTTP's among them) has its type as a plain property.
  const type = plainProperty(resource, 'type');
  if (typeof type === 'string' && type !== '') return type;
  const name = plainProperty(classOf(resource), 'name');
  if (typeof name !== 'string') return '';
  // What `process.nextTick` queues is a plain object.
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

/** Looking at it runs nothing. */
function isInspectable(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && !types.isProxy(value);
}
