import type { Frame } from '../contract/model.js';
import { printable } from '../contract/printable.js';
import type { CodeLocation } from '../types.js';

export function codeLocation(frame: Frame): CodeLocation {
  return {
    functionName: printable(frame.functionName || '<anonymous>'),
    filePath: printable(frame.fileName),
    lineNumber: frame.lineNumber,
    columnNumber: frame.columnNumber,
  };
}

/** `createSpans (/app/src/trace-view.ts:17:5)`. */
export function formatLocation({ functionName, filePath, lineNumber, columnNumber }: CodeLocation): string {
  return filePath === '' ? functionName : `${functionName} (${filePath}:${lineNumber}:${columnNumber})`;
}
