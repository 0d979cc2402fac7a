import type { Frame } from './model.js';

export type FrameKind = 'application' | 'dependency' | 'internal' | 'builtin';

/** Whose code a frame is. */
export function kindOf(frame: Frame): FrameKind {
  const { fileName } = frame;
  // A WebAssembly function has no line to show: its caller in JavaScript does.
  if (fileName === '' || fileName === '<anonymous>' || fileName.startsWith('wasm:')) return 'builtin';
  if (fileName.startsWith('node:')) return 'internal';
  return /[\\/]node_modules[\\/]/.test(fileName) ? 'dependency' : 'application';
}

/** The same for all frames of one function, wherever in it they stand. */
export function functionKey(frame: Frame): string {
  let key = keys.get(frame);
  if (key === undefined) {
    key = `${frame.fileName}:${frame.functionLineNumber}:${frame.functionColumnNumber}:${frame.functionName}`;
    keys.set(frame, key);
  }
  return key;
}

/** Every step of the attribution asks for them again. */
const keys = new WeakMap<Frame, string>();

export function isAnonymous(frame: Frame): boolean {
  return frame.functionName === '' || /(^|[. ])<anonymous>$/.test(frame.functionName);
}

/** Lengths of what can stand between a function's start and its parameters, besides its name. */
const HEADERS_WITH_NAME = ['', '*', '#', 'get ', 'set ', 'async ', 'async *', 'function ', 'function* ', 'function *'];
const HEADERS_WITHOUT_NAME = ['function', 'function ', 'function*', 'function* ', 'function *', 'constructor'];

/**
 * Whether a frame stands at its own function's entry, where V8 looks for interrupts: nothing of it has run yet. The
 * position is then that of the opening parenthesis (of the function itself, for an arrow function).
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
