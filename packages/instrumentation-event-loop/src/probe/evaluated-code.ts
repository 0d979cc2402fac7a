import { isAnonymous, standsAtEntry } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';

/** A frame as it was captured. */
export interface CapturedFrame extends Frame {
  /** Where code that was evaluated as text, and has no file, was evaluated, as V8 describes it. */
  readonly evaluatedAt?: string;
}

/**
 * A named function that was evaluated as text has no file: the function that a pool sends to its worker, a compiled
 * template, a validator. It gets the place of the `eval` or `new Function` that evaluated it, so that it can be named.
 */
export function placeEvaluated(frame: CapturedFrame): Frame {
  if (frame.evaluatedAt === undefined) return frame;
  let placed = placedFrames.get(frame);
  if (placed === undefined) {
    placed = place(frame, frame.evaluatedAt);
    placedFrames.set(frame, placed);
  }
  return placed;
}

/** Cached, because equal frames of different stacks are one object. */
const placedFrames = new WeakMap<CapturedFrame, Frame>();

/** V8's names of evaluated code outside of its functions, to which the type of a receiver is added: `Hook.eval`. */
const WITHOUT_NAME = new Set(['eval', 'anonymous']);

function place(frame: CapturedFrame, evaluatedAt: string): Frame {
  if (isAnonymous(frame) || WITHOUT_NAME.has(frame.functionName.split('.').at(-1) ?? '')) return frame;
  const position = positionIn(evaluatedAt);
  if (position === undefined) return frame;
  return {
    ...frame,
    ...position,
    evaluated: { isAtEntry: standsAtEntry(frame) },
  };
}

const EVAL_AT = 'eval at ';

/**
 * The position in V8's description: `eval at run (/srv/app/worker.js:133:20)`, also within evaluated code:
 * `eval at a (eval at b (/srv/app/c.js:1:2))`. Undefined where it names no file.
 */
function positionIn(evaluatedAt: string): Pick<Frame, 'fileName' | 'lineNumber' | 'columnNumber'> | undefined {
  let start = 0;
  while (evaluatedAt.startsWith(EVAL_AT, start)) {
    const nameEnd = evaluatedAt.indexOf(' (', start + EVAL_AT.length);
    if (nameEnd === -1) return undefined;
    start = nameEnd + ' ('.length;
  }
  let end = evaluatedAt.length;
  while (evaluatedAt[end - 1] === ')') end--;
  const parts = evaluatedAt.slice(start, end).split(':');
  const [columnNumber, lineNumber] = [Number(parts.pop()), Number(parts.pop())];
  const fileName = parts.join(':');
  if (start === 0 || end === evaluatedAt.length || fileName === '') return undefined;
  return Number.isInteger(lineNumber) && Number.isInteger(columnNumber)
    ? { fileName, lineNumber, columnNumber }
    : undefined;
}
