import type { Frame } from './model.js';

export type FrameKind = 'application' | 'dependency' | 'internal' | 'builtin';

/** Whose code the frame belongs to. */
export function kindOf(frame: Frame): FrameKind {
  const { fileName } = frame;
  // A WebAssembly function has no source line to show; its caller in JavaScript has one.
  if (fileName === '' || fileName === '<anonymous>' || fileName.startsWith('wasm:')) return 'builtin';
  if (fileName.startsWith('node:')) return 'internal';
  return /[\\/]node_modules[\\/]/.test(fileName) ? 'dependency' : 'application';
}

/** Identifies the frame's function: the same for all frames of one function, at whatever line. */
export function functionKey(frame: Frame): string {
  let key = keys.get(frame);
  if (key === undefined) {
    key = `${frame.fileName}:${frame.functionLineNumber}:${frame.functionColumnNumber}:${frame.functionName}`;
    keys.set(frame, key);
  }
  return key;
}

/** Cached, because every step of the attribution needs the keys of the same frames. */
const keys = new WeakMap<Frame, string>();

export function isAnonymous(frame: Frame): boolean {
  return frame.functionName === '' || /(^|[. ])<anonymous>$/.test(frame.functionName);
}

/** What can stand between a function's start and its parameters, besides its name. Only the lengths are used. */
const HEADERS_WITH_NAME = ['', '*', '#', 'get ', 'set ', 'async ', 'async *', 'function ', 'function* ', 'function *'];
const HEADERS_WITHOUT_NAME = ['function', 'function ', 'function*', 'function* ', 'function *', 'constructor'];

/**
 * Whether the frame is at the entry of its function, where V8 checks for interrupts: no code of the function has run
 * yet. V8 then gives the position of the opening parenthesis, or of the function itself for an arrow function.
 */
export function standsAtEntry(frame: Frame): boolean {
  if (frame.functionLineNumber === 0 || frame.lineNumber !== frame.functionLineNumber) return false;
  const offset = frame.columnNumber - frame.functionColumnNumber;
  if (offset === 0) return true;
  const name = frame.functionName.replace(/^new /, '').split('.').at(-1) ?? '';
  const nameWithoutAccessor = name.replace(/^(get|set) /, '');
  return (
    headerLengths(HEADERS_WITHOUT_NAME, 0).has(offset) ||
    headerLengths(HEADERS_WITH_NAME, nameWithoutAccessor.length).has(offset)
  );
}

function headerLengths(prefixes: readonly string[], nameLength: number): Set<number> {
  return new Set(
    prefixes.flatMap((prefix) => [prefix.length + nameLength, prefix.length + nameLength + 'async '.length]),
  );
}
