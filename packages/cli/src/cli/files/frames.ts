import { stacksOf } from '../../model/stacks/flame.js';
import { parseStack } from '../../model/stacks/stack.js';
import { functionOfBlock, isGuess } from '../../model/text/guess.js';
import type { Block } from '../../model/types.js';

/** Where a frame of a profile is. */
export interface FramePlace {
  readonly filePath: string;
  /** From 1; 0 when unknown. */
  readonly lineNumber: number;
  readonly columnNumber?: number;
}

/** The stacks of a block; a culprit that is a guess has its mark. */
export function markedStacks(block: Block): ReturnType<typeof stacksOf> {
  if (!isGuess(block)) return stacksOf(block);
  const marked = functionOfBlock(block)!;
  return stacksOf(block).map(([frames, ms]) => [
    frames.map((name) => (name === block.culprit?.functionName ? marked : name)),
    ms,
  ]);
}

/** Places of functions. Folded stacks hold names only; stack traces of the same functions hold the places. */
export function placesOf(blocks: Iterable<Block>): Map<string, FramePlace> {
  const places = new Map<string, FramePlace>();
  for (const block of blocks) {
    for (const { functionName, filePath, lineNumber = 0, columnNumber } of parseStack(block.stackTrace ?? '')) {
      if (filePath === undefined) continue;
      const isMarked = isGuess(block) && functionName === block.culprit?.functionName;
      places.set(isMarked ? functionOfBlock(block)! : functionName, {
        filePath,
        lineNumber,
        ...(columnNumber !== undefined && { columnNumber }),
      });
    }
  }
  return places;
}
