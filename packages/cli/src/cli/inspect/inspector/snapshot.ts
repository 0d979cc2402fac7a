import type { DumpFrame, DumpRequest } from '../../../model/processes/dump.js';
import { flag } from '../../../model/rules.js';
import { arrayOf, lengthMs, number, object, optional, text, whole } from './fields.js';
import { programFrames } from './program-frames.js';

/** What a thread says of itself. */
export interface Snapshot {
  /** Undefined in a process that waits for a debugger before it starts. */
  readonly pid?: number;
  /** Id of the thread in the operating system; undefined where the system does not tell. */
  readonly tid?: number;
  readonly threadName?: string;
  readonly frames: readonly DumpFrame[];
  readonly request?: DumpRequest;
  readonly atMostMs?: number;
  /** As `ThreadDump.timerCallback`. */
  readonly timerCallback?: string;
  /** Iterations of the event loop so far; Node.js counts them from 20.18 and 22.10 on. */
  readonly loopCount?: number;
  /** How long the event loop has waited for events so far, in ms. */
  readonly idleMs?: number;
}

/**
 * The expression that V8 evaluates inside the code that the thread runs, which it interrupts at any point. It throws
 * nothing, changes nothing, and calls no code of the program but its OpenTelemetry context manager and spans. The stack
 * comes from a realm of its own, with its own `Error`: settings of the program neither change nor see it.
 *
 * `readsResource`: inside a callback, it also reads the asynchronous resource, for the request and `atMostMs`. From then
 * on until the process ends, Node.js hands the resource to every callback, which costs CPU.
 */
export function snapshotExpression({ readsResource }: { readonly readsResource: boolean }): string {
  return `(() => {
  'use strict';
  const load = process.getBuiltinModule ?? require;
  const attempt = (read) => { try { return read(); } catch { return undefined; } };
  const capture = load('node:vm').runInNewContext(${JSON.stringify(`(() => {
    Error.stackTraceLimit = 200;
    Error.prepareStackTrace = (error, sites) => sites;
    const plain = new Set(['Object', 'Function', 'Module', 'global', 'Undefined', 'Null', 'Timeout', 'Immediate']);
    const nameOf = (site) => {
      const name = site.isPromiseAll?.() ? 'Promise.all' : site.getFunctionName();
      if (!name) return '';
      if (site.isConstructor()) return 'new ' + name;
      const type = site.getTypeName();
      return !type || plain.has(type) || name.startsWith(type + '.') || name.includes(' ') ? name : type + '.' + name;
    };
    return (below) => {
      const holder = {};
      Error.captureStackTrace(holder, below);
      return holder.stack.map((site) => ({
        functionName: nameOf(site).slice(0, 512),
        filePath: String(site.getFileName() ?? site.getScriptNameOrSourceURL() ?? '').slice(0, 4096),
        lineNumber: site.getLineNumber() ?? 0,
        columnNumber: site.getColumnNumber() ?? 0,
        functionLineNumber: site.getEnclosingLineNumber?.() ?? 0,
        functionColumnNumber: site.getEnclosingColumnNumber?.() ?? 0,
        isAsync: site.isAsync(),
      }));
    };
  })()`)}, Object.create(null), { filename: 'loopwatch:snapshot' });
  const mapped = (frame) => {
    const map = process.sourceMapsEnabled ? attempt(() => load('node:module').findSourceMap(frame.filePath)) : undefined;
    const entry = attempt(() => map?.findEntry(frame.lineNumber - 1, frame.columnNumber - 1));
    if (!entry?.originalSource) return frame;
    return {
      ...frame,
      filePath: entry.originalSource,
      lineNumber: entry.originalLine + 1,
      columnNumber: entry.originalColumn + 1,
      functionLineNumber: 0,
    };
  };
  // Without the two frames of this expression.
  const snapshot = function snapshot() { return capture(snapshot); };
  const frames = snapshot().slice(2).map(mapped);
  const now = Date.now();
  const spanRequest = () => {
    const context = globalThis[Symbol.for('opentelemetry.js.api.1')]?.context?.active();
    const metadata = context?.getValue(Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA'));
    const span = metadata?.span ?? context?.getValue(Symbol.for('OpenTelemetry Context Key SPAN'));
    if (typeof span?.name !== 'string') return undefined;
    const route = metadata?.route ?? span.attributes?.['http.route'];
    const { traceId, spanId } = span.spanContext();
    const [seconds, nanoseconds] = span.startTime ?? [];
    // No regular expression: the code that this interrupts may be within one (see the instrumentation's probe.ts).
    const method = [...span.name].every((letter) => letter >= 'A' && letter <= 'Z') && typeof route === 'string';
    return {
      name: method ? span.name + ' ' + route : span.name,
      traceId,
      spanId,
      ageMs: seconds === undefined ? undefined : Math.max(0, now - seconds * 1e3 - nanoseconds / 1e6),
    };
  };
  const isEmpty = frames.length === 0;
  const readsResource = ${readsResource} && !isEmpty;
  const resource = readsResource ? attempt(() => load('node:async_hooks').executionAsyncResource()) : undefined;
  // The end of a body runs in a resource of its own, which a request has caused: that of the parser of its connection.
  const causingRequest = () => {
    const { triggerAsyncId } = load('node:async_hooks');
    const ofBody = frames.some(({ functionName, filePath }) =>
      functionName === 'IncomingMessage.emit' && filePath.startsWith('node:'));
    if (!ofBody) return undefined;
    const id = triggerAsyncId();
    const isCause = ({ parser }) => parser?.getAsyncId?.() === id;
    return process._getActiveHandles().find((handle) => attempt(() => isCause(handle)))?._httpMessage?.req;
  };
  const nodeRequest = () => {
    if (!resource) return undefined;
    const request = resource.socket?._httpMessage?.req ?? attempt(causingRequest);
    if (typeof request?.method !== 'string') return undefined;
    // Without the query: it may hold secrets.
    return { name: request.method + ' ' + String(request.originalUrl ?? request.url).split('?')[0] };
  };
  const atMostMs = () => {
    if (resource?.constructor?.name !== 'Timeout' || typeof resource._idleStart !== 'number') return undefined;
    // A new timer knows the present time on the clock of timers.
    const { setTimeout, clearTimeout } = load('node:timers');
    const timer = setTimeout(() => {}, 1e6);
    clearTimeout(timer);
    const ms = timer._idleStart - resource._idleStart - (resource._idleTimeout > 0 ? resource._idleTimeout : 0);
    return ms >= 0 ? ms : undefined;
  };
  const timerCallback = () => {
    const property = { Timeout: '_onTimeout', Immediate: '_onImmediate' }[resource?.constructor?.name];
    const callback = property && resource[property];
    if (typeof callback !== 'function' || load('node:util').types.isProxy(callback)) return undefined;
    const name = Object.getOwnPropertyDescriptor(callback, 'name')?.value;
    return typeof name === 'string' && name !== '' ? name.slice(0, 512) : undefined;
  };
  const isNodeAlone = frames.every(({ filePath }) => filePath === '' || filePath.startsWith('node:'));
  return JSON.stringify({
    pid: process.pid,
    tid: attempt(() => Number(load('node:fs').readlinkSync('/proc/thread-self').split('/').pop())),
    threadName: attempt(() => load('node:worker_threads').threadName),
    frames,
    request: isEmpty ? undefined : (attempt(spanRequest) ?? attempt(nodeRequest)),
    atMostMs: isEmpty ? undefined : attempt(atMostMs),
    timerCallback: isNodeAlone ? attempt(timerCallback) : undefined,
    loopCount: attempt(() => load('node:perf_hooks').performance.nodeTiming.uvMetricsInfo.loopCount),
    idleMs: attempt(() => load('node:perf_hooks').performance.nodeTiming.idleTime),
  });
})()`;
}

/** Parameters of `Runtime.evaluate`. Old versions of Node.js give `require` to an expression only with the flag. */
export function evaluation(expression: string, nodeVersion: string): object {
  return {
    // By this name, another `loopwatch` recognises it on the stack.
    expression: `${expression}\n//# sourceURL=loopwatch:expression`,
    returnByValue: true,
    silent: true,
    disableBreaks: true,
    includeCommandLineAPI: !hasGetBuiltinModule(nodeVersion),
  };
}

/** `process.getBuiltinModule` exists from 20.16 and 22.3 on. */
function hasGetBuiltinModule(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, '').split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 3) || (major === 20 && minor >= 16);
}

const MAX_NAME = 1000;
const MAX_FRAMES = 1000;
const MAX_ID = 2 ** 31;

/** The process may say anything. */
const checked = object<Snapshot>({
  pid: optional(whole(MAX_ID)),
  tid: optional(whole(MAX_ID)),
  threadName: optional(text(MAX_NAME)),
  frames: arrayOf(
    object<DumpFrame>({
      functionName: text(MAX_NAME),
      filePath: text(4096),
      lineNumber: whole(MAX_ID),
      columnNumber: whole(MAX_ID),
      functionLineNumber: optional(whole(MAX_ID)),
      functionColumnNumber: optional(whole(MAX_ID)),
      isAsync: flag,
    }),
    MAX_FRAMES,
  ),
  request: optional(
    object<DumpRequest>({
      name: text(MAX_NAME),
      traceId: optional(text(MAX_NAME)),
      spanId: optional(text(MAX_NAME)),
      ageMs: optional(lengthMs),
    }),
  ),
  atMostMs: optional(lengthMs),
  timerCallback: optional(text(MAX_NAME)),
  loopCount: optional(number(0, Infinity)),
  idleMs: optional(number(0, Infinity)),
});

/** Parses the result of `Runtime.evaluate`; undefined when the expression has thrown, as in a full stack. */
export function parseSnapshot(evaluated: unknown): Snapshot | undefined {
  const value = (evaluated as { readonly result?: { readonly value?: unknown } } | undefined)?.result?.value;
  const answer = typeof value === 'string' ? checked(parseJson(value)) : undefined;
  if (!answer) return undefined;
  const { request, atMostMs, timerCallback, ...snapshot } = answer;
  const frames = programFrames(snapshot.frames);
  return frames.length === 0
    ? { ...snapshot, frames } // those are of the callback that runs, which may be one of Loopwatch
    : {
        ...snapshot,
        frames,
        ...(request && { request }),
        ...(atMostMs !== undefined && { atMostMs }),
        ...(timerCallback !== undefined && { timerCallback }),
      };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
