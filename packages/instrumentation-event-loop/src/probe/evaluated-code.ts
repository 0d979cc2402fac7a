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

/** V8's names of evaluated code outside of its functions. */
const WITHOUT_NAME = /^(eval|anonymous)$/;

function place(frame: CapturedFrame, evaluatedAt: string): Frame {
  if (isAnonymous(frame) || WITHOUT_NAME.test(frame.functionName)) return frame;
  const [, fileName, line, column] = EVALUATED_AT.exec(evaluatedAt) ?? [];
  if (fileName === undefined) return frame;
  return {
    ...frame,
    fileName,
    lineNumber: Number(line),
    columnNumber: Number(column),
    evaluated: { isAtEntry: standsAtEntry(frame) },
  };
}

/** `eval at run (/srv/app/worker.js:133:20)`, also within evaluated code: `eval at a (eval at b (/srv/app/c.js:1:2))`. */
const EVALUATED_AT = /^(?:eval at .*? \()+(.+):(\d+):(\d+)\)+$/s;
