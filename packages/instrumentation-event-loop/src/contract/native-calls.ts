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

/** Whether the function of V8 reads or writes JSON. */
export function isJsonCall(functionName: string): boolean {
  return functionName === 'JSON.parse' || functionName === 'JSON.stringify';
}
