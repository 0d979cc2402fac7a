import { AsyncResource, executionAsyncResource, triggerAsyncId } from 'node:async_hooks';

import { Array } from '../built-ins.js';
import { isInspectable, plainProperty } from './plain-property.js';
import { nameByPath, nameOfHeaders, nameOfRequest } from './request-name.js';
import { nameOfTest } from './running-test.js';
import {
  creatingSocket,
  fastifyRequest,
  parsingSocket,
  requestOfStream,
  streamRequest,
  trackedRequest,
} from './track-requests.js';
import type { TrackedRequest } from './tracked-request.js';

export interface CurrentRequest {
  /** The same object for all code of a request. */
  readonly key: object;
  readonly name: string;
  /** `GET /runs/7`, where the name has the route. */
  readonly nameByPath?: string | undefined;
}

/** Whether Node.js hands the async resource to each callback: it does so from the first question for it on. */
let isResourceHandedOver = false;

/**
 * The request that the running code serves, or the test that it is. Called inside code that is blocked or, at random, in
 * any other. Undefined where it is not known: before Node 24, behind an `await` of a program that does not use
 * `AsyncLocalStorage`.
 */
export function currentRequest(isBlocked: boolean): CurrentRequest | undefined {
  // Callbacks get slower by the resource: a process without blocks is not asked for it.
  isResourceHandedOver ||= isBlocked;
  const tracked = trackedRequest() ?? streamRequest();
  if (tracked !== undefined) return fromTracked(tracked);
  if (!isResourceHandedOver) return named(fastifyRequest()) ?? fromSocketOfParser(parsingSocket());
  const resource: unknown = executionAsyncResource();
  return (
    named(fastifyRequest()) ?? fromParser(resource) ?? fromTest(resource) ?? fromTick(resource) ?? fromCreator(resource)
  );
}

/**
 * A connection that a request has opened, to a database for example, keeps that request's context for ever, and so does
 * a queue. When the request has been answered, such code serves another one.
 */
function fromTracked(tracked: TrackedRequest): CurrentRequest | undefined {
  const { exchange: reference, name, answeredName } = tracked;
  const exchange = reference.deref();
  if (!exchange) {
    return answeredName !== undefined && hasSetImmediate(tracked) ? { key: tracked, name: answeredName } : undefined;
  }
  if (name === undefined) {
    return isAnswered(exchange) && !hasSetImmediate(tracked) ? undefined : named(plainProperty(exchange, 'req'));
  }
  const isOpen = (exchange as { destroyed?: boolean }).destroyed !== true;
  return isOpen && name !== '' ? { key: exchange, name } : undefined;
}

/** Not so where only the client has gone: the handler goes on. */
function isAnswered(response: object): boolean {
  return plainProperty(response, 'finished') === true && plainProperty(response, 'destroyed') === true;
}

/** Whether the running code is an immediate that the request's listener itself has set. A timer may be that of a job. */
function hasSetImmediate({ bodyId }: TrackedRequest): boolean {
  if (!isResourceHandedOver || triggerAsyncId() !== bodyId) return false;
  return typeof plainProperty(executionAsyncResource(), '_onImmediate') === 'function';
}

/**
 * Node's HTTP parser runs the listener of `request`, and its resource leads to the socket, whose parser has the request.
 * The socket's response may be that of an earlier one: a client may send requests without waiting for the answers.
 */
function fromParser(resource: unknown): CurrentRequest | undefined {
  const isParser = plainProperty(resource, 'type') === 'HTTPINCOMINGMESSAGE';
  return isParser ? fromSocketOfParser(plainProperty(resource, 'socket')) : undefined;
}

function fromSocketOfParser(socket: unknown): CurrentRequest | undefined {
  return named(parsedRequest(socket)) ?? named(answeredRequest(socket));
}

/** The request of a socket; undefined where it has several, because the running code may serve any of them. */
function fromSocket(socket: unknown): CurrentRequest | undefined {
  const parsed = parsedRequest(socket);
  const answered = answeredRequest(socket);
  return isInspectable(parsed) && parsed !== answered ? undefined : named(answered);
}

/** The request that has arrived last. */
function parsedRequest(socket: unknown): unknown {
  return plainProperty(plainProperty(socket, 'parser'), 'incoming');
}

/** The request whose response is due. */
function answeredRequest(socket: unknown): unknown {
  return plainProperty(plainProperty(socket, '_httpMessage'), 'req');
}

/** A test counts as a request with its name. */
function fromTest(resource: unknown): CurrentRequest | undefined {
  const name = nameOfTest(resource);
  return name === undefined ? undefined : { key: resource as object, name };
}

/** `process.nextTick` has queued an event of a request: that its body has arrived, or a stream of HTTP/2. */
function fromTick(resource: unknown): CurrentRequest | undefined {
  const queued = plainProperty(resource, 'args');
  if (!Array.isArray(queued)) return undefined;
  for (let i = 0; i < queued.length; i++) {
    const value: unknown = queued[i];
    const ofStream = requestOfStream(value);
    const request = named(value) ?? (ofStream && fromTracked(ofStream));
    if (request) return request;
  }
  return undefined;
}

/** Libraries bind a callback to the request with `AsyncResource`, body parsers for example. */
function fromCreator(resource: unknown): CurrentRequest | undefined {
  return resource instanceof AsyncResource ? fromSocket(creatingSocket()) : undefined;
}

function named(value: unknown): CurrentRequest | undefined {
  if (!isInspectable(value)) return undefined;
  const name = nameOfRequest(value) ?? nameOfHeaders(value);
  return name === undefined ? undefined : { key: value, name, nameByPath: nameByPath(value) };
}
