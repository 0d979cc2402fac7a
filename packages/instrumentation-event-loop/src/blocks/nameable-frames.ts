import { isAnonymous, MAX_COLUMN, standsAtEntry, type FrameKind } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';

/** A function that a stack shows. */
export interface NamedFrame {
  /** An anonymous callback is replaced by the named function that encloses it. */
  readonly frame: Frame;
  /** Where it ran: in the callback. */
  readonly place: Frame;
}

/** A stack, top first. */
export interface ShownStack {
  readonly frames: readonly Frame[];
  /** The same frames in their source. */
  readonly source: readonly Frame[];
  readonly kinds: readonly FrameKind[];
}

/** The frames of that kind, top first. */
export function nameableFrames(stack: ShownStack, kind: FrameKind): NamedFrame[] {
  return stack.frames.flatMap((_, i) => (stack.kinds[i] === kind ? nameableFrame(stack, i) : []));
}

/** The frame at that index of the stack. */
export function nameableFrame(stack: ShownStack, index: number): NamedFrame {
  const { frames, kinds } = stack;
  const frame = frames[index]!;
  const enclosing = isAnonymous(frame) ? enclosingFunction(stack, index) : frame;
  // A callback at its entry has done nothing yet, so it counts for the named function that calls it.
  const isCallers = enclosing === undefined && kinds[index + 1] === kinds[index] && surelyStandsAtEntry(stack, index);
  const place = isCallers ? frames[index + 1]! : frame;
  return { frame: enclosing ?? place, place };
}

/**
 * In minified code, the loop of `(e,t)=>{for(…` has the place of the parenthesis in `function(`. In its source, it has
 * another one; where that is not known, only the start of an arrow function is certain.
 */
function surelyStandsAtEntry({ frames, source }: ShownStack, index: number): boolean {
  const frame = frames[index]!;
  const { columnNumber, functionColumnNumber } = frame;
  if (!standsAtEntry(frame)) return false;
  if (columnNumber === functionColumnNumber) return true;
  return columnNumber <= MAX_COLUMN && standsAtEntry(source[index]!);
}

/**
 * Finds the function whose source encloses an anonymous callback: for `logs.find((log) => …)` in `createSpans`, the
 * frame of `createSpans`. Among the callers in the same file that enclose it, it is the one that begins last.
 */
function enclosingFunction(stack: ShownStack, index: number): Frame | undefined {
  const { frames } = stack;
  const callback = frames[index]!;
  let enclosing: number | undefined;
  for (let i = index + 1; i < frames.length; i++) {
    const caller = frames[i]!;
    if (caller.fileName !== callback.fileName || caller.evaluated !== undefined) continue;
    if (!encloses(stack, i, index)) continue;
    if (enclosing === undefined || beginsAfter(caller, frames[enclosing]!)) enclosing = i;
  }
  if (enclosing === undefined) return undefined;
  const frame = frames[enclosing]!;
  return isAnonymous(frame) ? enclosingFunction(stack, enclosing) : frame;
}

/**
 * Whether the callback stands in the caller's source. It does where it begins before the place at which the caller is.
 * After that place, only an argument of the call there is known to. Where the callback is next on the stack, the caller
 * calls it itself, as a dispatcher calls a handler that stands anywhere below it.
 */
function encloses({ frames, source }: ShownStack, callerAt: number, callbackAt: number): boolean {
  const [caller, callback] = [frames[callerAt]!, frames[callbackAt]!];
  if (beginsAfter(caller, callback)) return false;
  const linesBelow = callback.functionLineNumber - caller.lineNumber;
  if (linesBelow < 0 || (linesBelow === 0 && callback.functionColumnNumber < caller.columnNumber)) return true;
  if (callerAt === callbackAt + 1) return false;
  // All of a minified bundle is in one line, and what follows a function there may be of another file.
  const isInSource = source[callbackAt]!.functionLineNumber > 0;
  return isInSource ? isNearBelow(source[callerAt]!, source[callbackAt]!) : isNearBelow(caller, callback);
}

/**
 * How many lines below the name of the called function an argument begins at most: another argument has a line of its own.
 * What follows a function in formatted source, after its last bracket and an empty line, begins further below.
 */
const MAX_ARGUMENT_LINES = 2;
/** Whether the callback can be an argument of the call at which the caller is. */
function isNearBelow(caller: Frame, callback: Frame): boolean {
  if (caller.fileName !== callback.fileName) return false;
  const linesBelow = callback.functionLineNumber - caller.lineNumber;
  const columnsAfter = callback.functionColumnNumber - (linesBelow === 0 ? caller.columnNumber : 0);
  return linesBelow >= 0 && linesBelow <= MAX_ARGUMENT_LINES && columnsAfter <= MAX_COLUMN;
}

function beginsAfter(a: Frame, b: Frame): boolean {
  const lines = a.functionLineNumber - b.functionLineNumber;
  return lines > 0 || (lines === 0 && a.functionColumnNumber > b.functionColumnNumber);
}
