import { isAnonymous, kindOf, type FrameKind } from '../contract/frames.js';
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
  const named: NamedFrame[] = [];
  for (let i = 0; i < frames.length; i++) {
    const frame = frames[i];
    // A helper of the telemetry, such as a serialiser, is not named: the package that calls it is.
    if (!frame || kinds[i] !== kind || kindOf(frame) !== kind) continue;
    const enclosing = isAnonymous(frame) ? enclosingFunction(frames, kinds, i) : undefined;
    // One that is called directly, such as a factory of a table, may stand anywhere in the file.
    const isCalledDirectly = enclosing !== undefined && frames[i + 1] === enclosing;
    named.push({ frame: enclosing ?? frame, place: isCalledDirectly ? enclosing : frame });
  }
  return named;
}

/**
 * Finds the function whose source encloses an anonymous callback: for `logs.find((log) => …)` in `createSpans`, the
 * frame of `createSpans`. Among the callers in the same file, it is the function that begins last, but not after the
 * callback.
 */
function enclosingFunction(frames: readonly Frame[], kinds: readonly FrameKind[], index: number): Frame | undefined {
  const callback = frames[index];
  if (!callback) return undefined;
  let enclosing: { readonly frame: Frame; readonly index: number } | undefined;
  let isDirect = true;
  for (let i = index + 1; i < frames.length; i++) {
    const caller = frames[i];
    if (!caller || kindOf(caller) === 'builtin' || caller.evaluated !== undefined) continue;
    if (kinds[i] === 'loader-hook') continue; // it calls the code of a module, which is none of its own
    if (caller.fileName !== callback.fileName || kinds[i] !== kinds[index]) {
      isDirect = false; // a library calls the callback: the library's caller is not always the callback's author
      continue;
    }
    const offset = callback.functionLineNumber - caller.lineNumber;
    if (!isDirect && (offset < 0 || offset > 1)) break;
    if (beginsAfter(caller, callback)) continue;
    if (!enclosing || beginsAfter(caller, enclosing.frame)) enclosing = { frame: caller, index: i };
  }
  if (!enclosing) return undefined;
  return isAnonymous(enclosing.frame) ? enclosingFunction(frames, kinds, enclosing.index) : enclosing.frame;
}

function beginsAfter(a: Frame, b: Frame): boolean {
  const lines = a.functionLineNumber - b.functionLineNumber;
  return lines > 0 || (lines === 0 && a.functionColumnNumber > b.functionColumnNumber);
}
