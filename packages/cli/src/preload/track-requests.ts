import { AsyncLocalStorage, executionAsyncId, triggerAsyncId } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import process from 'node:process';

import { isInspectable, plainProperty } from './plain-property.js';
import { nameOfHeaders, setFastifyRoute } from './request-name.js';

/** What Node publishes when a request arrives. */
interface ArrivedRequest {
  /** Of HTTP/1. */
  readonly response?: object;
  readonly socket?: object;
  /** Of HTTP/2. */
  readonly stream?: object;
  readonly headers?: object;
}

/**
 * A request as the resources of the program keep it: a timer or a connection that it creates keeps it for as long as
 * that exists, also after an attach has ended. So the request itself is only referred to weakly.
 */
export interface TrackedRequest {
  /** The response, which leads to the request, or the stream of HTTP/2. */
  readonly exchange: WeakRef<object>;
  /** Of HTTP/2, whose stream does not have its headers. */
  readonly name?: string;
}

const storage = new AsyncLocalStorage<TrackedRequest>();
/** Requests between two checks whether the program itself uses `AsyncLocalStorage`. */
const CHECK_EVERY = 64;

let isStorageUsed = false;
let requestCount = 0;

/** The request whose code runs, also after an `await`; undefined where this is not known. */
export function trackedRequest(): TrackedRequest | undefined {
  return isStorageUsed ? storage.getStore() : undefined;
}

/**
 * Sockets by the async id of their HTTP parser; used where the storage is not. `executionAsyncResource()` would lead to
 * the socket too, but from its first call on, Node.js hands the resource to every callback of the process, which costs
 * CPU.
 */
const sockets = new Map<number, WeakRef<object>>();
const MAX_REMEMBERED = 4096;
/** The request whose Fastify handler runs, until its first `await`. */
let inFastifyHandler: object | undefined;

/** Streams of HTTP/2 by their async id: their body arrives in callbacks that do not have the request's context. */
const streams = new Map<number, WeakRef<object>>();
const requestsOfStreams = new WeakMap<object, TrackedRequest>();
/** The symbol under which Node.js keeps a stream's async id. */
let asyncIdKey: symbol | undefined;

/** The request of the HTTP/2 stream whose event runs now, or has queued what runs now: that of a gRPC handler. */
export function streamRequest(): TrackedRequest | undefined {
  return requestOfStream((streams.get(executionAsyncId()) ?? streams.get(triggerAsyncId()))?.deref());
}

/** The request that an HTTP/2 stream has brought. */
export function requestOfStream(stream: unknown): TrackedRequest | undefined {
  return isInspectable(stream) ? requestsOfStreams.get(stream) : undefined;
}

/** The socket whose request has created the resource that runs now. */
export function creatingSocket(): object | undefined {
  return sockets.get(triggerAsyncId())?.deref();
}

/** Node's request object while a Fastify handler runs, until its first `await`. */
export function fastifyRequest(): object | undefined {
  return inFastifyHandler;
}

function toTracked({ response, stream, headers }: ArrivedRequest): TrackedRequest | undefined {
  if (response) return { exchange: new WeakRef(response) };
  return stream && { exchange: new WeakRef(stream), name: nameOfHeaders(headers) ?? '' };
}

function rememberSocket(socket: object | undefined): void {
  const parserId = executionAsyncId();
  if (socket !== undefined && !sockets.has(parserId)) remember(sockets, parserId, socket);
}

function rememberStream(stream: object | undefined, tracked: TrackedRequest | undefined): void {
  if (!isInspectable(stream) || !tracked) return;
  asyncIdKey ??= Object.getOwnPropertySymbols(stream).find(({ description }) => description === 'async_id_symbol');
  const id = asyncIdKey && plainProperty(stream, asyncIdKey);
  if (typeof id !== 'number') return;
  requestsOfStreams.set(stream, tracked);
  remember(streams, id, stream);
}

/** Adds the object. Of too many, the oldest is forgotten. */
function remember(objects: Map<number, WeakRef<object>>, id: number, object: object): void {
  objects.set(id, new WeakRef(object));
  const [oldest] = objects.keys();
  if (objects.size > MAX_REMEMBERED && oldest !== undefined) objects.delete(oldest);
}

/** Subscribes to what Node and Fastify publish about requests. Returns a function that ends that. */
export function trackRequests(): () => void {
  isStorageUsed = keepsContextsWithoutHooks();
  const onArrival = (message: unknown): void => {
    isStorageUsed ||= requestCount++ % CHECK_EVERY === 0 && areHooksOn();
    const arrived = message as ArrivedRequest;
    const tracked = isStorageUsed || arrived.stream ? toTracked(arrived) : undefined;
    if (isStorageUsed && tracked) storage.enterWith(tracked);
    if (!isStorageUsed) rememberSocket(arrived.socket);
    rememberStream(arrived.stream, tracked);
  };
  const subscriptions: readonly (readonly [string, (message: unknown) => void])[] = [
    ['http.server.request.start', onArrival],
    ['http2.server.stream.start', onArrival],
    ['tracing:fastify.request.handler:start', onFastifyHandlerStart],
    ['tracing:fastify.request.handler:end', onFastifyHandlerEnd],
  ];
  for (const [channel, listener] of subscriptions) subscribe(channel, listener);
  return () => {
    for (const [channel, listener] of subscriptions) unsubscribe(channel, listener);
    storage.disable();
    sockets.clear();
    streams.clear();
  };
}

function onFastifyHandlerStart(message: unknown): void {
  const { request, route } = message as { request?: { raw?: object }; route?: { url?: unknown } };
  inFastifyHandler = request?.raw;
  if (request?.raw && typeof route?.url === 'string') setFastifyRoute(request.raw, route.url);
}

function onFastifyHandlerEnd(): void {
  inFastifyHandler = undefined;
}

/**
 * Whether V8 itself hands on what `AsyncLocalStorage` stores. Otherwise the first use makes Node call hooks for each
 * promise of the process.
 */
function keepsContextsWithoutHooks(): boolean {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  if (Number.parseInt(process.versions.node, 10) >= 24) return !options.includes('--no-async-context-frame');
  return options.includes('--experimental-async-context-frame');
}

/** Whether the program has switched these hooks on, so that our use of them costs little more. */
function areHooksOn(): boolean {
  return Object.getOwnPropertySymbols(Promise.resolve()).length > 0;
}
