/*
 * The native calls that V8 shows on top of a stack, because it can be interrupted in them. One list for the cause of a
 * block and for the advice about it.
 */

const STRING_METHODS_WITH_PATTERN: ReadonlySet<string> = new Set([
  'String.match',
  'String.matchAll',
  'String.replace',
  'String.replaceAll',
  'String.search',
  'String.split',
]);

/** Whether the function of V8 executes a regular expression: `RegExp.test`, `String.match`, `RegExpStringIterator.next`. */
export function isRegExpCall(functionName: string): boolean {
  return functionName.startsWith('RegExp') || STRING_METHODS_WITH_PATTERN.has(functionName);
}

/**
 * The same of a frame that is known to be V8's: it has the class of its receiver, which can be one of the application that
 * extends `RegExp`, as in `Route.exec`. No other function of V8 has these names.
 */
export function isRegExpFrame(functionName: string): boolean {
  return isRegExpCall(functionName) || functionName.endsWith('.exec') || functionName.endsWith('.test');
}

/** Whether the function of V8 reads or writes JSON. */
export function isJsonCall(functionName: string): boolean {
  return functionName === 'JSON.parse' || functionName === 'JSON.stringify';
}

/**
 * Whether the function of V8 or Node reads a structured clone. V8 can be interrupted in it only where it fills a map or set,
 * whose method is then on top.
 */
export function isCloneCall(functionName: string): boolean {
  return functionName === 'structuredClone' || functionName === 'deserialize';
}
