import { functionKey, kindOf, MAX_FRAMES } from '../contract/frames.js';
import type { Frame, Sample } from '../contract/model.js';

/** Frames of this package that are left out of a captured stack. */
const LEFT_OUT = 4;

/**
 * Adds the callers to stacks that are cut. Recursion, as in parsers and minifiers, is often deeper than what is captured,
 * so that the code of the application that called it is not shown. The nearest whole stacks of the same callback show it.
 */
export function withCutCallers(samples: readonly Sample[]): readonly Sample[] {
  if (!samples.some(isCut)) return samples;
  return samples.map((sample, i) => {
    if (!isCut(sample)) return sample;
    const isWhole = (other: Sample): boolean => !isCut(other) && other.asyncId === sample.asyncId;
    const before = samples.slice(0, i).findLast(isWhole)?.frames;
    const after = samples.slice(i).find(isWhole)?.frames;
    const callers = callersOf(sample.frames, before, after);
    return callers.length === 0 ? sample : { ...sample, frames: [...sample.frames, ...callers] };
  });
}

/**
 * The callers that a cut stack does not show: those that the whole stacks before and after it have in common, at the same
 * places. At the end of a block there is only one: it must show that it is of the same recursion.
 */
function callersOf(cut: readonly Frame[], before?: readonly Frame[], after?: readonly Frame[]): readonly Frame[] {
  if (before === undefined || after === undefined) return callersOfSame(cut, before ?? after ?? []);
  const callers = commonCallers(before, after);
  return callers.slice(overlapOf(cut, callers));
}

/** The callers of the outermost function of the cut stack, where the whole one has it. Many functions call a builtin. */
function callersOfSame(cut: readonly Frame[], whole: readonly Frame[]): readonly Frame[] {
  const last = cut.findLast((frame) => kindOf(frame) !== 'builtin');
  const index = whole.findLastIndex((frame) => last !== undefined && functionKey(frame) === functionKey(last));
  return index === -1 ? [] : whole.slice(index + 1);
}

function isCut({ frames }: Sample): boolean {
  return frames.length > MAX_FRAMES - LEFT_OUT;
}

/** The outermost frames that both stacks have. */
function commonCallers(a: readonly Frame[], b: readonly Frame[]): readonly Frame[] {
  let count = 0;
  while (count < Math.min(a.length, b.length) && isSamePlace(a.at(-1 - count)!, b.at(-1 - count)!)) count++;
  return a.slice(a.length - count);
}

/** How many of the callers, from the innermost on, the cut stack shows: its last frames are among them. */
function overlapOf(frames: readonly Frame[], callers: readonly Frame[]): number {
  let best = { shown: 0, end: 0 };
  for (let end = 1; end <= callers.length; end++) {
    let shown = 0;
    while (shown < end && isSamePlace(frames.at(-1 - shown)!, callers[end - 1 - shown]!)) shown++;
    if (shown > best.shown) best = { shown, end };
  }
  return best.end;
}

function isSamePlace(a: Frame, b: Frame): boolean {
  if (a === b) return true;
  return a.lineNumber === b.lineNumber && a.columnNumber === b.columnNumber && functionKey(a) === functionKey(b);
}
