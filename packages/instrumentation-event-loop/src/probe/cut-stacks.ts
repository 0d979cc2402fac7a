import { functionKey, kindOf, MAX_FRAMES } from '../contract/frames.js';
import type { Frame, Sample } from '../contract/model.js';

/** Frames of this package that are left out of a captured stack: those of the probe, up to the code that it interrupts. */
const LEFT_OUT = 4;

/**
 * Adds the callers to stacks that are cut. Recursion, as in parsers and minifiers, is often deeper than what is captured,
 * so that the code of the application that called it is not shown. The nearest whole stacks of the same callback show it,
 * before and after the cut one: what both have in common.
 */
export function withCutCallers(samples: readonly Sample[]): readonly Sample[] {
  if (!samples.some(isCut)) return samples;
  return samples.map((sample, i) => {
    if (!isCut(sample)) return sample;
    const isWhole = (other: Sample): boolean => !isCut(other) && other.asyncId === sample.asyncId;
    const nearest = [samples.slice(0, i).findLast(isWhole), samples.slice(i).find(isWhole)];
    const [first, second] = nearest
      .map((whole) => callersOf(sample.frames, whole?.frames ?? []))
      .filter(({ length }) => length > 0);
    if (first === undefined) return sample;
    return { ...sample, frames: [...sample.frames, ...(second === undefined ? first : commonEnd(first, second))] };
  });
}

function isCut({ frames }: Sample): boolean {
  return frames.length > MAX_FRAMES - LEFT_OUT;
}

/** The callers of the outermost function of the cut stack, where the whole one has it. Many functions call a builtin. */
function callersOf(cut: readonly Frame[], whole: readonly Frame[]): readonly Frame[] {
  const last = cut.findLast((frame) => kindOf(frame) !== 'builtin');
  const index = whole.findLastIndex((frame) => last !== undefined && functionKey(frame) === functionKey(last));
  return index === -1 ? [] : whole.slice(index + 1);
}

function commonEnd(a: readonly Frame[], b: readonly Frame[]): readonly Frame[] {
  const placeIn = (frames: readonly Frame[], fromEnd: number): string => {
    const frame = frames[frames.length - 1 - fromEnd]!;
    return `${functionKey(frame)}:${frame.lineNumber}`;
  };
  let count = 0;
  while (count < Math.min(a.length, b.length) && placeIn(a, count) === placeIn(b, count)) count++;
  return a.slice(a.length - count);
}
