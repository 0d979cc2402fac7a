import { position } from '../rules.js';

/** A frame of a stack as V8 prints it. */
export interface StackFrame {
  readonly functionName: string;
  readonly filePath?: string;
  readonly lineNumber?: number;
  readonly columnNumber?: number;
  /** The frame is an `await` of the async stack, not a call. */
  readonly isAwait: boolean;
  /** The line as printed, without `at`. */
  readonly text: string;
}

const FRAME = /^\s*at (async )?(.*)$/;
/** The first parenthesis opens the place: paths may contain parentheses (`Program Files (x86)`), names may not. */
const NAMED = /^(.*?) \((.*)\)$/;
const PLACE = /^(.*?)(?::(\d+))?(?::(\d+))?$/;

/** Frames of a stack trace, top first; lines that are no frames are ignored. */
export function parseStack(stackTrace: string): StackFrame[] {
  return stackTrace.split('\n').flatMap((line) => parseFrame(line) ?? []);
}

function parseFrame(line: string): StackFrame | undefined {
  const match = FRAME.exec(line);
  if (!match) return undefined;
  const [, awaited, rest = ''] = match;
  // Without this check the expression tries every parenthesis: quadratic time on hostile input.
  const [, named, namedPlace] = (rest.endsWith(')') ? NAMED.exec(rest) : undefined) ?? [];
  const text = line.trim().replace(/^at /, '');
  const isAwait = awaited !== undefined;
  const place = namedPlace ?? rest;
  const [, filePath, lineText, columnText] = PLACE.exec(place) ?? [];
  const lineNumber = position(Number(lineText));
  const columnNumber = position(Number(columnText));
  // A number that no line can have is no place.
  if (!filePath || lineNumber === undefined) {
    return { functionName: named ?? place, isAwait, text };
  }
  return {
    functionName: named ?? '<anonymous>',
    filePath: filePath.startsWith('file://') ? decode(filePath.slice('file://'.length)) : filePath,
    lineNumber,
    ...(columnNumber !== undefined && { columnNumber }),
    isAwait,
    text,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // The percent sign is no encoding.
  }
}

/** Origin of a frame's code. */
export type FrameKind = 'application' | 'dependency' | 'node' | 'unknown';

export function frameKind({ filePath }: StackFrame): FrameKind {
  if (filePath === undefined) return 'unknown';
  if (filePath.startsWith('node:')) return 'node';
  return filePath.includes('node_modules') ? 'dependency' : 'application';
}
