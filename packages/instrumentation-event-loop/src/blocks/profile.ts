import { isAnonymous } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';
import { framesOf } from './visible-frames.js';
import type { WeightedSample } from './weights.js';

/** Characters of a folded profile. The lightest stacks are dropped first. */
const MAX_LENGTH = 16_384;
/** Characters of a frame's name in the profile: the deepest captured stack fits into `MAX_LENGTH`. */
const MAX_NAME = 96;

/** Folds the samples to lines `root;caller;callee N`, heaviest first; N is in ms and at least 1. */
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
    if (next.length > maxLength) continue; // a shorter line may still fit
    folded = next;
  }
  return folded;
}

/** A frame's name without the characters that separate frames and lines in the format. */
export function nameInProfile(frame: Frame): string {
  let name = names.get(frame);
  if (name === undefined) {
    name = makeName(frame);
    names.set(frame, name);
  }
  return name;
}

/** Cached, because the stacks of a block have most of their frames in common. */
const names = new WeakMap<Frame, string>();

function makeName(frame: Frame): string {
  const file = frame.fileName.replaceAll('\\', '/').split('/').at(-1) ?? '';
  const name = isAnonymous(frame)
    ? `<anonymous ${file}:${frame.functionLineNumber || frame.lineNumber}>`
    : frame.functionName;
  const shortened = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
  return shortened.replaceAll(';', '_').replaceAll('\r', '_').replaceAll('\n', '_');
}
