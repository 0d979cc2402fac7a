import type { Frame } from '../contract/model.js';
import { framesOf } from './culprit.js';
import { isAnonymous } from '../contract/frames.js';
import type { WeightedSample } from './weights.js';

/** Characters of a folded profile; the lightest stacks go first. */
const MAX_LENGTH = 16_384;
/** Characters of a frame's name in it: the deepest stack that is captured fits in. */
const MAX_NAME = 96;

/** Folds the samples: one `root;caller;callee N` a line, N in ms and at least 1, heaviest first. */
export function foldProfile(samples: readonly WeightedSample[], maxLength = MAX_LENGTH): string {
  const weights = new Map<string, number>();
  for (const weighted of samples) {
    const frames = framesOf(weighted);
    if (frames.length === 0) continue;
    const stack = frames.map(nameInProfile).reverse().join(';');
    weights.set(stack, (weights.get(stack) ?? 0) + weighted.weightMs);
  }
  let folded = '';
  for (const [stack, weightMs] of [...weights].sort((a, b) => b[1] - a[1])) {
    const line = `${stack} ${Math.max(1, Math.round(weightMs))}`;
    const next = folded === '' ? line : `${folded}\n${line}`;
    if (next.length > maxLength) continue; // a shorter one may still fit
    folded = next;
  }
  return folded;
}

/** A frame's name, without the characters that the format gives a meaning. */
function nameInProfile(frame: Frame): string {
  const file = frame.fileName.split(/[\\/]/).at(-1) ?? '';
  const name = isAnonymous(frame)
    ? `<anonymous ${file}:${frame.functionLineNumber || frame.lineNumber}>`
    : frame.functionName;
  return (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name).replaceAll(/[;\r\n]/g, '_');
}
