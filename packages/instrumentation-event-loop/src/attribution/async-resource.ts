import { executionAsyncResource } from 'node:async_hooks';

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

/** Type of the asynchronous resource whose callback runs, under the name `async_hooks` gives it; empty outside of one. */
export function currentAsyncResource(): string {
  const resource = executionAsyncResource() as { type?: unknown; constructor?: { name?: unknown } } | undefined;
  if (resource === undefined) return '';
  // An AsyncResource of a library (HTTP's among them) has its type as a plain property; a getter is not ours to run.
  const type = Object.getOwnPropertyDescriptor(resource, 'type')?.value as unknown;
  if (typeof type === 'string' && type !== '') return type;
  const name = resource.constructor?.name;
  if (typeof name !== 'string') return '';
  // What `process.nextTick` queues is a plain object.
  if (name === 'Object')
    return Object.hasOwn(resource, 'callback') && Object.hasOwn(resource, 'args') ? 'TickObject' : '';
  return PROVIDER_TYPES[name] ?? name;
}
