import vm from 'node:vm';
import type { Frame } from '../contract/model.js';

/** Frames kept of a stack, from the top. Frameworks easily put 60 between a route and the loop. */
const MAX_FRAMES = 128;
/** Characters kept of a function's name: generated code has some that are as long as their source. */
const MAX_NAME = 1024;
/** Characters kept of a file's name: no path is longer, but a `data:` URL is a whole module. */
const MAX_FILE_NAME = 4096;

/**
 * Source of the capture, compiled in a context of its own. Its `Error`, and with it `stackTraceLimit` and
 * `prepareStackTrace`, are not the application's: nothing the application set can spoil the capture, and the capture has
 * nothing to set and restore. It runs inside blocked code at any point, so it must not touch the application's objects.
 *
 * A string and not a function's source text: bundlers and minifiers rewrite functions.
 */
const CAPTURE_SOURCE = `(() => {
  'use strict';
  Error.stackTraceLimit = ${MAX_FRAMES + 1};
  Error.prepareStackTrace = (error, callSites) => callSites;
  // Receivers that say nothing of the function: plain ones, and what Node calls a timer's callback on.
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
  return (below) => {
    const holder = {};
    Error.captureStackTrace(holder, below);
    const frames = [];
    for (const site of holder.stack) {
      frames.push({
        functionName: cut(nameOf(site), ${MAX_NAME}),
        fileName: cut(site.getFileName() ?? site.getScriptNameOrSourceURL() ?? '', ${MAX_FILE_NAME}),
        lineNumber: site.getLineNumber() ?? 0,
        columnNumber: site.getColumnNumber() ?? 0,
        functionLineNumber: site.getEnclosingLineNumber?.() ?? 0,
        functionColumnNumber: site.getEnclosingColumnNumber?.() ?? 0,
        isAsync: site.isAsync(),
      });
    }
    return frames;
  };
})()`;

/** Captures the current stack, top first, without `below` and what `below` called. */
export type StackCapture = (below: (...args: never[]) => unknown) => readonly Frame[];

export function stackCapture(): StackCapture {
  captureOfThread ??= makeCapture();
  return captureOfThread;
}

/** One for all: a realm takes some milliseconds to make, and being switched off and on again makes no other. */
let captureOfThread: StackCapture | undefined;

function makeCapture(): StackCapture {
  const realm = vm.createContext(Object.create(null) as vm.Context, { name: 'loopwatch' });
  return vm.runInContext(CAPTURE_SOURCE, realm, { filename: 'loopwatch:stack-capture' }) as StackCapture;
}
