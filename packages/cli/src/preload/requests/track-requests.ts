import { executionAsyncId, triggerAsyncId } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import process from 'node:process';

import { DetachedStorage, Map, Object, uncurryThis, WeakMap, WeakRef } from '../built-ins.js';
import { attempt, guarded } from '../guard.js';
import { stopWatchingBodies, watchBodies } from './body-contexts.js';
import { isInspectable, plainProperty } from './plain-property.js';
import { nameOfHeaders, nameOfRequest, nameOfRoute, setFastifyRoute } from './request-name.js';
import type { TrackedRequest } from './tracked-request.js';

/** What Node publishes when a request arrives. */
interface ArrivedRequest {
  /** Of HTTP/1. */
  readonly request?: object;
  readonly response?: object;
  readonly socket?: object;
  /** Of HTTP/2. */
  readonly stream?: object;
  readonly headers?: object;
}

/** Node's request in Fastify. */
interface RawRequest {
  readonly method?: unknown;
  /** Of HTTP/2. */
  readonly stream?: object;
}

/** With methods of its own: programs replace those of all storages. */
const storage = new DetachedStorage<TrackedRequest>();
/** Requests between two checks whether the program itself uses `AsyncLocalStorage`. */
const CHECK_EVERY = 64;

const descriptionOf = uncurryThis(
  Reflect.getOwnPropertyDescriptor(Symbol.prototype, 'description')!.get as (this: symbol) => string | undefined,
);
const nextKey = uncurryThis(
  // eslint-disable-next-line @typescript-eslint/unbound-method -- `uncurryThis` gives it its `this`
  new globalThis.Map<number, unknown>().keys().next,
);

let isStorageUsed = false;
let requestCount = 0;

/** When a request of HTTP/1 has arrived, by its response: a number that grows. */
const arrivals = new WeakMap<object, number>();

export function arrivalOf(response: object): number {
  return arrivals.get(response) ?? 0;
}

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

/** The last request of each HTTP parser, by the parser's async id. */
const parsed = new Map<number, TrackedRequest>();
/** Requests of HTTP/2 by the async id of their stream. */
const streams = new Map<number, TrackedRequest>();
const requestsOfStreams = new WeakMap<object, TrackedRequest>();
/** The symbol under which Node.js keeps a stream's async id. */
let asyncIdKey: symbol | undefined;

/** The request of the HTTP/2 stream whose event runs now, or has queued what runs now: that of a gRPC handler. */
export function streamRequest(): TrackedRequest | undefined {
  return streams.get(executionAsyncId()) ?? streams.get(triggerAsyncId());
}

/** The request that an HTTP/2 stream has brought. */
export function requestOfStream(stream: unknown): TrackedRequest | undefined {
  return isInspectable(stream) ? requestsOfStreams.get(stream) : undefined;
}

/** The socket whose request has created the resource that runs now. */
export function creatingSocket(): object | undefined {
  return sockets.get(triggerAsyncId())?.deref();
}

/** The socket whose HTTP parser calls what runs now. */
export function parsingSocket(): object | undefined {
  return sockets.get(executionAsyncId())?.deref();
}

/** Node's request object while a Fastify handler runs, until its first `await`. */
export function fastifyRequest(): object | undefined {
  return inFastifyHandler;
}

function toTracked({ response, stream, headers }: ArrivedRequest): TrackedRequest | undefined {
  if (isInspectable(response)) return { exchange: new WeakRef(response), bodyId: executionAsyncId() };
  if (!isInspectable(stream)) return undefined;
  return { exchange: new WeakRef(stream), name: nameOfHeaders(headers) ?? '', bodyId: asyncIdOf(stream) };
}

/** Async id of a stream of HTTP/2. */
function asyncIdOf(stream: object): number | undefined {
  asyncIdKey ??= findAsyncIdKey(stream);
  const id = asyncIdKey && plainProperty(stream, asyncIdKey);
  return typeof id === 'number' ? id : undefined;
}

function findAsyncIdKey(stream: object): symbol | undefined {
  const keys = Object.getOwnPropertySymbols(stream);
  for (let i = 0; i < keys.length; i++) if (descriptionOf(keys[i]!) === 'async_id_symbol') return keys[i];
  return undefined;
}

/**
 * The body arrives in callbacks of the parser or the stream, which do not have the request's context: what they start,
 * such as a timer, would not have it either.
 */
function enterContextOfBody(): void {
  const id = executionAsyncId();
  const tracked = parsed.get(id) ?? streams.get(id);
  if (tracked && storage.getStore() !== tracked) storage.enterWith(tracked);
}

const guardedEnter = guarded(enterContextOfBody);

function rememberSocket(socket: object | undefined): void {
  const parserId = executionAsyncId();
  if (socket !== undefined && !sockets.has(parserId)) remember(sockets, parserId, new WeakRef(socket));
}

function rememberStream(stream: object, tracked: TrackedRequest): void {
  requestsOfStreams.set(stream, tracked);
  if (tracked.bodyId !== undefined) remember(streams, tracked.bodyId, tracked);
}

/** Adds the object. Of too many, the oldest is forgotten. */
function remember<T>(objects: Map<number, T>, id: number, object: T): void {
  objects.set(id, object);
  if (objects.size <= MAX_REMEMBERED) return;
  const { value: oldest } = nextKey(objects.keys());
  if (oldest !== undefined) objects.delete(oldest);
}

/** Subscribes to what Node and Fastify publish about requests. Returns a function that ends that. */
export function trackRequests(): () => void {
  isStorageUsed = keepsContextsWithoutHooks();
  const onArrival = (message: unknown): void => {
    // Others may publish on these channels, too.
    if (!isInspectable(message)) return;
    isStorageUsed ||= requestCount++ % CHECK_EVERY === 0 && areHooksOn();
    const arrived = message as ArrivedRequest;
    const { request, response, stream, socket } = arrived;
    if (isInspectable(response)) arrivals.set(response, requestCount);
    if (!isStorageUsed && isInspectable(socket)) rememberSocket(socket);
    const tracked = isStorageUsed || stream ? toTracked(arrived) : undefined;
    if (!tracked) return;
    if (isInspectable(stream)) rememberStream(stream, tracked);
    if (!isStorageUsed) return;
    if (request && tracked.bodyId !== undefined) remember(parsed, tracked.bodyId, tracked);
    storage.enterWith(tracked);
    const body = request ?? stream;
    if (isInspectable(body)) watchBodies(body, guardedEnter);
  };
  const arrival = guarded(onArrival);
  const subscriptions: readonly (readonly [string, (message: unknown) => void])[] = [
    ['http.server.request.start', arrival],
    ['http.server.response.finish', guarded(onAnswered)],
    ['http2.server.stream.start', arrival],
    ['tracing:fastify.request.handler:start', guarded(onFastifyHandlerStart)],
    ['tracing:fastify.request.handler:end', guarded(onFastifyHandlerEnd)],
  ];
  for (let i = 0; i < subscriptions.length; i++) subscribe(subscriptions[i]![0], subscriptions[i]![1]);
  return () => {
    for (let i = 0; i < subscriptions.length; i++) {
      attempt(() => unsubscribe(subscriptions[i]![0], subscriptions[i]![1]));
    }
    attempt(() => {
      storage.disable();
    });
    attempt(stopWatchingBodies);
    sockets.clear();
    parsed.clear();
    streams.clear();
  };
}

/** What the handler does after its answer, in an immediate, is still the request's. */
function onAnswered(message: unknown): void {
  if (!isStorageUsed || !isInspectable(message)) return;
  const { request, response } = message as ArrivedRequest;
  const tracked = storage.getStore();
  if (tracked && tracked.exchange.deref() === response) tracked.answeredName = nameOfRequest(request);
}

function onFastifyHandlerStart(message: unknown): void {
  if (!isInspectable(message)) return;
  const { request, route } = message as { request?: { raw?: RawRequest }; route?: { url?: unknown } };
  inFastifyHandler = request?.raw;
  if (!isInspectable(request?.raw) || typeof route?.url !== 'string') return;
  setFastifyRoute(request.raw, route.url);
  const ofHttp2 = requestOfStream(request.raw.stream);
  if (ofHttp2?.name !== undefined) ofHttp2.name = nameOfRoute(request.raw.method, route.url) ?? ofHttp2.name;
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

const { Promise: NativePromise } = globalThis;
const nothing = (): void => undefined;
const newPromise = (): object => new NativePromise(nothing);

/** Whether the program has switched these hooks on, so that our use of them costs little more. */
function areHooksOn(): boolean {
  return Object.getOwnPropertySymbols(newPromise()).length > 0;
}
