import type { Block, Culprit } from '../types.js';

/*
 * V8 cannot interrupt some native calls. The thread then answers when the call has returned, and the stack shows where it
 * is by then. The function on it is the one that made the call, or one that was called next: a guess, marked with `≈`.
 * The mark also stands at code that ran in the second half of a block, if the watchdog thread was still starting in the
 * first half, and at code that only one or two answers show.
 */

export const GUESS_MARK = '≈';

/** What the mark means, for a legend. */
export const GUESS_LEGEND = `${GUESS_MARK} a guess: on the stack once or twice, when a native call returned, or when the watchdog had started; it or what ran before it blocked`;

/** The same for a culprit whose line alone is a guess. */
const COMPILED_LEGEND = `${GUESS_MARK} of code that a loader has compiled in memory: the function is right, the line is not that of the source. With NODE_OPTIONS=--enable-source-maps it is, where the loader gives Node.js its map`;

/** What the marks of these blocks mean. */
export function guessLegends(blocks: readonly Pick<Block, 'culprit' | 'stackQuality' | 'because'>[]): string[] {
  const guesses = blocks.filter(isGuess);
  const compiled = guesses.filter(({ because }) => because?.endsWith('; guess: line of compiled code'));
  return [
    ...(guesses.length > compiled.length ? [GUESS_LEGEND] : []),
    ...(compiled.length > 0 ? [COMPILED_LEGEND] : []),
  ];
}

/** Whether the block's culprit is a guess. */
export function isGuess({ culprit, stackQuality }: Pick<Block, 'culprit' | 'stackQuality'>): boolean {
  return culprit !== undefined && stackQuality === 'post_native';
}

/** Name of the block's function, marked if it is a guess. Undefined if no function is known. */
export function functionOfBlock(block: Pick<Block, 'culprit' | 'stackQuality'>): string | undefined {
  return block.culprit && marked(block.culprit.functionName, isGuess(block));
}

/** Name of the culprit's function, marked if most of its time is a guess. Undefined if no function is known. */
export function functionOfCulprit({ location, guess }: Culprit): string | undefined {
  return location && marked(location.functionName, guess);
}

function marked(functionName: string, guess: boolean): string {
  return guess ? `${GUESS_MARK} ${functionName}` : functionName;
}
