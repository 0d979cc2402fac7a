import vm from 'node:vm';
import { MAX_FRAMES } from '../contract/frames.js';
import type { CapturedFrame } from './evaluated-code.js';

/** Characters kept of a function's name: generated code can have names as long as its source. */
const MAX_NAME = 1024;
/** Characters of a script before a frame: V8 computes the hash of a larger one in 17 ms per MB. */
const MAX_HASHED = 1_000_000;
/** Characters kept of a file name. No path is longer, but a `data:` URL contains a whole module. */
const MAX_FILE_NAME = 4096;

/**
 * Source of the capture function, compiled in a realm of its own. That realm has its own `Error`, with its own
 * `stackTraceLimit` and `prepareStackTrace`: settings of the application cannot break the capture, and the capture
 * changes none of them. This matters because it interrupts the application's code at any point.
 *
 * While V8 formats the stack of an error of the application, it hands out text instead of call sites. In it, the starts of
 * functions are missing, and what has been evaluated as text has no place.
 *
 * It is a string, because bundlers and minifiers rewrite functions.
 */
const CAPTURE_SOURCE = `(() => {
  'use strict';
  Error.stackTraceLimit = ${MAX_FRAMES + 1};
  Error.prepareStackTrace = (error, callSites) => callSites;
  // Receiver types that add nothing to a function's name: plain objects, and the receivers of timer callbacks.
  const plainTypes = new Set(['Object', 'Function', 'Module', 'global', 'Undefined', 'Null', 'Timeout', 'Immediate']);
  const nameOf = (site) => {
    if (site.isPromiseAll?.()) return 'Promise.all';
    const name = site.getFunctionName();
    if (!name) return '';
    if (site.isConstructor()) return 'new ' + name;
    const type = site.getTypeName();
    if (!type || plainTypes.has(type) || name.startsWith(type + '.') || name.includes(' ')) return name;
    return type + '.' + name;
  };
  const cut = (text, length) => (text.length > length ? text.slice(0, length) : text);
  const nameIn = (text) => {
    const name = text.split(' [as ')[0];
    if (name.endsWith('<anonymous>')) return '';
    const own = name.slice(name.indexOf('.') + 1);
    return plainTypes.has(name.slice(0, -own.length - 1)) || /* accessor */ own[3] === ' ' ? own : name;
  };
  const frameIn = (line) => {
    const isAsync = line.startsWith('async ');
    const call = isAsync ? line.slice(6) : line;
    const placeAt = call.endsWith(')') ? call.indexOf(' (') : -1;
    const place = call.slice(placeAt < 0 ? 0 : placeAt + 2, placeAt < 0 ? undefined : -1).split(':');
    const [columnNumber, lineNumber] = [Number(place.pop()), Number(place.pop())];
    const isPlaced = lineNumber > 0 && !place[0].startsWith('eval at ') && place[0] !== '<anonymous>';
    return {
      functionName: cut(placeAt < 0 ? '' : nameIn(call.slice(0, placeAt)), ${MAX_NAME}),
      fileName: isPlaced ? cut(place.join(':'), ${MAX_FILE_NAME}) : '',
      lineNumber: lineNumber || 0,
      columnNumber: (lineNumber && columnNumber) || 0,
      functionLineNumber: 0,
      functionColumnNumber: 0,
      isAsync,
    };
  };
  return (below, mayBeCompiled) => {
    const holder = {};
    Error.captureStackTrace(holder, below);
    if (typeof holder.stack === 'string') return holder.stack.split('\\n    at ').slice(1).map(frameIn);
    const frames = [];
    for (const site of holder.stack) {
      const fileName = site.getFileName() ?? site.getScriptNameOrSourceURL() ?? '';
      const evaluatedAt = fileName === '' && site.isEval() ? site.getEvalOrigin() : undefined;
      frames.push({
        functionName: cut(nameOf(site), ${MAX_NAME}),
        fileName: cut(fileName, ${MAX_FILE_NAME}),
        lineNumber: site.getLineNumber() ?? 0,
        columnNumber: site.getColumnNumber() ?? 0,
        functionLineNumber: site.getEnclosingLineNumber?.() ?? 0,
        functionColumnNumber: site.getEnclosingColumnNumber?.() ?? 0,
        isAsync: site.isAsync(),
        ...(mayBeCompiled?.(fileName) &&
          site.getPosition() < ${MAX_HASHED} && { scriptHash: site.getScriptHash?.() || undefined }),
        ...(evaluatedAt && { evaluatedAt: cut(evaluatedAt, ${MAX_FILE_NAME}) }),
      });
    }
    return frames;
  };
})()`;

/**
 * Captures the current stack, top first, without `below` and the functions that it called. V8 computes the hash of the
 * scripts of whose files `mayBeCompiled` says so, and keeps it.
 */
export type StackCapture = (
  below: (...args: never[]) => unknown,
  mayBeCompiled?: (fileName: string) => boolean,
) => readonly CapturedFrame[];

export function stackCapture(): StackCapture {
  captureOfThread ??= makeCapture();
  return captureOfThread;
}

/** One for each thread: a realm takes some milliseconds to create, so disabling and enabling again reuses it. */
let captureOfThread: StackCapture | undefined;

function makeCapture(): StackCapture {
  const realm = vm.createContext(Object.create(null) as vm.Context, { name: 'loopwatch' });
  return vm.runInContext(CAPTURE_SOURCE, realm, { filename: 'loopwatch:stack-capture' }) as StackCapture;
}
