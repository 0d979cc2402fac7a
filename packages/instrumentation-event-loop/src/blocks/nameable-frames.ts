import { isAnonymous, standsAtEntry, type FrameKind } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';

/** A function that a stack shows. */
export interface NamedFrame {
  /** An anonymous callback is replaced by the named function that encloses it. */
  readonly frame: Frame;
  /** Where it ran: in the callback. */
  readonly place: Frame;
}

/** The frames of that kind, top first. */
export function nameableFrames(frames: readonly Frame[], kinds: readonly FrameKind[], kind: FrameKind): NamedFrame[] {
  return frames.flatMap((_, i) => (kinds[i] === kind ? nameableFrame(frames, kinds, i) : []));
}

/** The frame at that index of the stack. */
export function nameableFrame(frames: readonly Frame[], kinds: readonly FrameKind[], index: number): NamedFrame {
  const frame = frames[index]!;
  const enclosing = isAnonymous(frame) ? enclosingFunction(frames, index) : frame;
  // A callback at its entry has done nothing yet, so it counts for the named function that calls it.
  const isCallers = enclosing === undefined && kinds[index + 1] === kinds[index] && standsAtEntry(frame);
  const place = isCallers ? frames[index + 1]! : frame;
  return { frame: enclosing ?? place, place };
}

/**
 * Finds the function whose source encloses an anonymous callback: for `logs.find((log) => …)` in `createSpans`, the
 * frame of `createSpans`. Among the callers in the same file that enclose it, it is the one that begins last.
 */
function enclosingFunction(frames: readonly Frame[], index: number): Frame | undefined {
  const callback = frames[index]!;
  let enclosing: number | undefined;
  for (let i = index + 1; i < frames.length; i++) {
    const caller = frames[i]!;
    if (caller.fileName !== callback.fileName || caller.evaluated !== undefined) continue;
    if (!encloses(caller, callback, i === index + 1)) continue;
    if (enclosing === undefined || beginsAfter(caller, frames[enclosing]!)) enclosing = i;
  }
  if (enclosing === undefined) return undefined;
  const frame = frames[enclosing]!;
  return isAnonymous(frame) ? enclosingFunction(frames, enclosing) : frame;
}

/**
 * Whether the callback stands in the caller's source. It does where it begins before the place at which the caller is.
 * After that place, only an argument of the call there is known to. Where the callback is next on the stack, the caller
 * calls it itself, as a dispatcher calls a handler that stands anywhere below it.
 */
function encloses(caller: Frame, callback: Frame, isNextOnStack: boolean): boolean {
  if (beginsAfter(caller, callback)) return false;
  const linesBelow = callback.functionLineNumber - caller.lineNumber;
  if (linesBelow < 0 || (linesBelow === 0 && callback.functionColumnNumber < caller.columnNumber)) return true;
  return !isNextOnStack && linesBelow <= MAX_ARGUMENT_LINES;
}

/**
 * How many lines below the name of the called function an argument begins at most: another argument has a line of its own.
 * What follows a function in formatted source, after its last bracket and an empty line, begins further below.
 */
const MAX_ARGUMENT_LINES = 2;

function beginsAfter(a: Frame, b: Frame): boolean {
  const lines = a.functionLineNumber - b.functionLineNumber;
  return lines > 0 || (lines === 0 && a.functionColumnNumber > b.functionColumnNumber);
}
