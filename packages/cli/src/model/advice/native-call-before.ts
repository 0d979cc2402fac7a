import type { CodeLocation, Sources } from '../types.js';

/** Calls into native code that leave no frame on the stack, and in which V8 cannot be interrupted. */
const NATIVE_CALL = /\bJSON\.(?:parse|stringify)\(|\bstructuredClone\(|\b\w+Sync\(/;
/** `for (…) {`, `while (…) {`, `do {`, `items.map((item) => {`, `items.forEach(function (item) {` */
const LOOP_HEAD = /^\s*(?:for|while|do)\b|\.\w+\(.*(?:=>|\bfunction\b.*\))\s*\{\s*$/;

/**
 * Whether a native call stands above the line in the body of the same loop; undefined where the source does not reach so
 * far. The thread then answers after that call, often within the call of the line, however little time that takes.
 */
export function hasNativeCallBefore({ filePath, lineNumber }: CodeLocation, sources: Sources): boolean | undefined {
  const lines = sources[filePath] ?? {};
  const own = lines[String(lineNumber)];
  if (own === undefined) return undefined;
  const indent = indentOf(own);
  let isFound = false;
  for (let line = lineNumber - 1; line > 0; line--) {
    const text = lines[String(line)];
    if (text === undefined) return undefined;
    if (text.trim() === '') continue;
    if (indentOf(text) < indent) return isFound && LOOP_HEAD.test(text);
    isFound ||= NATIVE_CALL.test(text);
  }
  return false;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
