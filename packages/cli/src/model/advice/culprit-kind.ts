import { parseFolded, type Stack } from '../stacks/flame.js';
import { inlinedSearch, isCheap, isOfLoop, type Search, searchesOfFunctions } from './inlined-scan.js';
import { CERTAINTY, certaintyOfScan } from './kind-certainty.js';
import { CULPRIT_KINDS, type CulpritKind, isMost, kindOfStacks, MIN_SHARE, searchMethodOf } from './kind-evidence.js';
import { callsIn, linesOf, loopAround, NATIVE_CALL } from './source-around.js';
import { parseStack } from '../stacks/stack.js';
import type { Block, CodeLocation, Sources } from '../types.js';

export { CULPRIT_KINDS, type CulpritKind };

/** What the code of a block looks like. */
export interface Kinded {
  /** `null` where neither stacks nor source show it. A block with its stacks need not have it. */
  readonly kind?: CulpritKind | null;
  /** True: the source was not there to read, or leaves open whether it is something else. */
  readonly kindIsGuess?: boolean;
}

/** A block that has its stacks, or else the kind that was read from them and from the source. */
export type KindedBlock = Block & Kinded;

/** What most of the code of several blocks, or one stack, looks like. */
export interface CommonKind {
  readonly kind: CulpritKind;
  readonly isGuess: boolean;
}

const PAGES = 'https://github.com/loopwatch/loopwatch/blob/main/docs/culprits';

const NAMES: Readonly<Record<CulpritKind, string>> = {
  'sync-crypto': 'synchronous cryptography',
  'sync-file-access': 'synchronous file access',
  'regex-backtracking': 'a regular expression that backtracks',
  'large-json': 'a large JSON document',
  'nested-scan': 'a nested scan',
  'unpaged-list': 'a list without pages',
};

/** Name that the instrumentation gives to the culprit of blocks that it has caused itself. */
const OWN_WORK = "Loopwatch's own work";

/**
 * Calls in the culprit's line that leave no frame: V8 can be interrupted only before and after them. They count where the
 * stacks show no kind.
 */
const CALLS: readonly (readonly [CulpritKind, RegExp, readonly Block['cause'][]])[] = [
  ['large-json', /\bJSON\.(?:parse|stringify)\(/g, ['native']],
  [
    'sync-file-access',
    /\b(?:read|write|append|copy|readdir|stat|lstat|exists)\w*Sync\(/g,
    ['native', 'waiting', 'javascript'],
  ],
];

/** What can stand beside such a call in its line. */
const BESIDE_CALL =
  /^(?:join|resolve|dirname|basename|toString|String|trim|slice|from|concat|existsSync|fileURLToPath|URL|end|send|write)$/;

/** V8 would have answered within them, so that they are not what a late answer comes from. */
const LIST_METHOD = /^(?:every|filter|find|findIndex|flatMap|forEach|map|reduce|some)$/;

/** Kinds that a stack shows also where the thread answered late: the frames around the call are still on it. */
const KNOWN_LATE: ReadonlySet<CulpritKind> = new Set(['sync-crypto', 'sync-file-access']);

/** Kinds that one stack shows: the call has a frame of its own, and costs much whenever it is made. */
const KNOWN_BY_ONE_STACK: ReadonlySet<CulpritKind> = new Set(['sync-crypto']);

/** `Looks like a nested scan: https://….`, or `May be …` where that is a guess. */
export function adviceText({ kind, isGuess }: CommonKind): string {
  return `${adviceVerb(isGuess)} ${NAMES[kind]}: ${adviceUrl(kind)}`;
}

/** `Looks like`, `May be` */
export function adviceVerb(isGuess: boolean): string {
  return isGuess ? 'May be' : 'Looks like';
}

/** `a nested scan` */
export function kindName(kind: CulpritKind): string {
  return NAMES[kind];
}

export function adviceUrl(kind: CulpritKind): string {
  return `${PAGES}/${kind}.md`;
}

/** What the code looks like by the block's stacks, else by the source of its line; undefined where neither shows it. */
export function kindOf(
  block: KindedBlock,
  sources: Sources = {},
  searchesOf: (block: Block) => readonly Search[] = searchesOfBlocks([block]),
): CommonKind | undefined {
  const { kind, kindIsGuess, culprit, cause, stackQuality } = block;
  if (kind !== undefined) return kind === null ? undefined : { kind, isGuess: kindIsGuess === true };
  // Code that only waited for a CPU would be no block, whatever it looks like, and Loopwatch is not the reader's to mend.
  if (!culprit || cause === 'cpu_starved' || culprit.functionName === OWN_WORK) return undefined;
  const isLate = stackQuality === 'post_native';
  const stacks = stacksBelowCulprit(block);
  const seen = { block, culprit, stacks, sources };
  const shown = kindOfStacks(stacks);
  // `map` around an inlined search is on the stack, and the search is not.
  if ((shown === undefined || shown === 'unpaged-list') && !isLate) {
    const search = inlinedSearch(stacks, searchesOf(block), culprit, sources, MIN_SHARE);
    const scan = search && certaintyOfScan(seen, search.method, search.caller.length > 0);
    if (scan !== undefined) return { kind: 'nested-scan', isGuess: scan === 'guess' };
  }
  if (shown !== undefined && (!isLate || KNOWN_LATE.has(shown))) {
    const certainty = CERTAINTY[shown](seen);
    if (certainty !== undefined) return { kind: shown, isGuess: certainty === 'guess' };
    // V8 has inlined the search in the callback of the list for a part of the time.
    const method = shown === 'unpaged-list' ? searchMethodOf(stacks) : undefined;
    if (method === undefined || certaintyOfScan(seen, method, true) === undefined) return undefined;
    return { kind: 'nested-scan', isGuess: true };
  }
  return kindOfLine(block, culprit, stacks, sources);
}

/** By the text of the culprit's line. It says nothing of time that was spent in functions that the line calls. */
function kindOfLine(
  { cause, stackQuality }: Block,
  culprit: CodeLocation,
  stacks: readonly Stack[],
  sources: Sources,
): CommonKind | undefined {
  const isLate = stackQuality === 'post_native';
  if (!isLate && !isMost(stacks, (frames) => frames.every(isOfLoop))) return undefined;
  // A late answer comes from the call's own line or from the next one.
  const lineAt = linesOf(sources, culprit.filePath);
  const lines = isLate ? [culprit.lineNumber - 1, culprit.lineNumber] : [culprit.lineNumber];
  const text = lines.map((line) => lineAt(line) ?? '').join('\n');
  const [kind, call] = CALLS.find(([, pattern, causes]) => causes.includes(cause) && text.search(pattern) >= 0) ?? [];
  if (kind === undefined || call === undefined) return undefined;
  // Another native call there could be what takes the time, and in the line itself any call. After a function that ends
  // with a native call, V8 answers in the line that has called it, or in the next one.
  const others = text.replaceAll(call, '');
  if (NATIVE_CALL.test(others)) return undefined;
  const isHarmless = (name: string): boolean =>
    isCheap(name) || BESIDE_CALL.test(name) || (isLate && LIST_METHOD.test(name));
  const isAlone = [...callsIn(others)].every(isHarmless);
  if (!isLate && !isAlone) return undefined;
  // In a loop, each document may be small.
  const lineNumber = lines.find((line) => lineAt(line)?.includes('JSON.')) ?? culprit.lineNumber;
  const loop = loopAround({ ...culprit, lineNumber }, sources);
  if (kind === 'large-json') return { kind, isGuess: !isAlone || loop !== null };
  return { kind, isGuess: !isAlone || loop === undefined || NATIVE_CALL.test(loop?.replaceAll(call, '') ?? '') };
}

/** The block with its kind. A kind that it has stays. */
export function withKind<T extends KindedBlock>(
  block: T,
  sources?: Sources,
  searchesOf?: (block: Block) => readonly Search[],
): T & Kinded {
  if (block.kind !== undefined) return block;
  const { kind = null, isGuess = false } = kindOf(block, sources, searchesOf) ?? {};
  return { ...block, kind, ...(isGuess && { kindIsGuess: true }) };
}

/** The searches that the blocks of a block's function show, for `kindOf`. */
export function searchesOfBlocks(blocks: readonly Block[]): (block: Block) => readonly Search[] {
  return searchesOfFunctions(blocks, stacksBelowCulprit);
}

/** What the code looks like by one stack alone, root first. */
export function kindOfStack(frames: readonly string[], culprit: string): CommonKind | undefined {
  const kind = kindOfStacks(stacksBelow([[frames, 1]], culprit));
  // The callback of `map` may have an inlined search: only several stacks, or the source, tell one from the other.
  if (kind === undefined || kind === 'unpaged-list') return undefined;
  return { kind, isGuess: !KNOWN_BY_ONE_STACK.has(kind) };
}

function stacksBelowCulprit(block: Block): Stack[] {
  return stacksBelow(stacksOf(block), block.culprit?.functionName ?? '');
}

function stacksBelow(stacks: readonly Stack[], culprit: string): Stack[] {
  return stacks.map(([frames, ms]): Stack => [frames.slice(frames.lastIndexOf(culprit) + 1), ms]);
}

/** The kind of most of the blocked time; undefined if no kind has so much. */
export function commonKind(blocks: readonly KindedBlock[]): CommonKind | undefined {
  const kinded = blocks.map((block) => withKind(block));
  const isMost = (own: readonly KindedBlock[]): boolean => lengthOf(own) > lengthOf(blocks) * MIN_SHARE;
  const kind = CULPRIT_KINDS.find((each) => isMost(kinded.filter((block) => block.kind === each)));
  return (
    kind && { kind, isGuess: !isMost(kinded.filter((block) => block.kind === kind && block.kindIsGuess !== true)) }
  );
}

function lengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((total, { durationMs }) => total + durationMs, 0);
}

/** All sampled stacks, root first; without a profile, the most frequent one. */
function stacksOf({ profile, stackTrace = '' }: Block): Stack[] {
  const folded = profile === undefined ? [] : parseFolded(profile);
  if (folded.length > 0) return folded;
  const frames = parseStack(stackTrace).filter(({ isAwait }) => !isAwait);
  return [[frames.map(({ functionName }) => functionName).reverse(), 1]];
}
