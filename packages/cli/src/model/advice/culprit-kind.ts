import { isJsonCall, isRegExpCall } from '@loopwatch/instrumentation-event-loop/internal';

import { parseFolded } from '../stacks/flame.js';
import { parseStack } from '../stacks/stack.js';
import type { Block, Sources } from '../types.js';
import { isInlinedScan, type Search, searchesOfFunctions, type Stack } from './inlined-scan.js';
import { hasNativeCallBefore } from './native-call-before.js';

/** What blocking code looks like; each is a page of `docs/culprits/`. */
export const CULPRIT_KINDS = [
  'sync-crypto',
  'sync-file-access',
  'regex-backtracking',
  'large-json',
  'nested-scan',
  'unpaged-list',
] as const;
export type CulpritKind = (typeof CULPRIT_KINDS)[number];

/** What the code of a block looks like. */
export interface Kinded {
  /** `null` where neither stacks nor source show it. A block with its stacks need not have it. */
  readonly kind?: CulpritKind | null;
  /** True: the stacks show it, and the source, which could show something else, was not there to read. */
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
/** Share of the sampled time that must look like the kind. */
const MIN_SHARE = 0.5;

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
 * Frames below the culprit's that are evidence of a kind. The frame of a call that V8 cannot interrupt is on the stack
 * only while Node.js's own JavaScript around it runs, so crypto and files are recognised by that.
 */
const FRAMES: readonly (readonly [CulpritKind, (frame: string) => boolean])[] = [
  [
    'sync-crypto',
    named(/^(pbkdf2Sync|scryptSync|argon2Sync|hkdfSync|generateKeyPairSync|generatePrimeSync|checkPrimeSync)$/),
  ],
  [
    'sync-file-access',
    named(
      /^(readFileSync|writeFileSync|appendFileSync|copyFileSync|cpSync|readdirSync|readSync|writeSync|writevSync|fsyncSync|statSync|lstatSync|existsSync|openSync|rmSync|mkdirSync)$/,
    ),
  ],
  ['regex-backtracking', isRegExpCall],
  ['large-json', isJsonCall],
  ['nested-scan', named(/^Array\.(find|findIndex|findLast|findLastIndex|some|every|filter)$/)],
  ['unpaged-list', named(/^Array\.(map|forEach|flatMap|reduce)$|^(StatementSync|Statement)\.all$/)],
];
/**
 * How far below the top of the stack the last such frame may be; for other kinds, anywhere. What a callback calls is no
 * search, and the callback of `replace` is no regular expression.
 */
const MOST_ABOVE: Readonly<Partial<Record<CulpritKind, number>>> = {
  'regex-backtracking': 0,
  'large-json': 1,
  'nested-scan': 1,
};

/**
 * Calls in the culprit's line that leave no frame: V8 can be interrupted only before and after them. They count where the
 * stacks show no kind.
 */
const CALLS: readonly (readonly [CulpritKind, RegExp, readonly Block['cause'][]])[] = [
  ['large-json', /\bJSON\.(parse|stringify)\(/, ['native']],
  [
    'sync-file-access',
    /\b(read|write|append|copy|readdir|stat|lstat|exists)\w*Sync\(/,
    ['native', 'waiting', 'javascript'],
  ],
];

/** Kinds that a stack shows also where the thread answered late: the frames around the call are still on it. */
const KNOWN_LATE: ReadonlySet<CulpritKind> = new Set(['sync-crypto', 'sync-file-access']);

/** Without the source, a search of little time after a native call in a loop looks the same. */
const NEEDS_SOURCE: CulpritKind = 'nested-scan';

/** Their pattern may be a text, which no engine for regular expressions sees: the stack does not show it. */
const MAY_TAKE_TEXT = /^String\.(replace|replaceAll|split)$/;

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
): CulpritKind | undefined {
  const { kind, culprit, cause, stackQuality } = block;
  if (kind !== undefined || !culprit) return kind ?? undefined;
  // Code that only waited for a CPU would be no block, whatever it looks like, and Loopwatch is not the reader's to mend.
  if (cause === 'cpu_starved' || culprit.functionName === OWN_WORK) return undefined;
  const isLate = stackQuality === 'post_native';
  const stacks = stacksBelowCulprit(block);
  const shown = kindOfStacks(stacks);
  if (shown === 'nested-scan' && hasNativeCallBefore(culprit, sources) === true) return undefined;
  // `map` around an inlined search is on the stack, and the search is not.
  const canBeScan = (shown === undefined || shown === 'unpaged-list') && !isLate;
  if (canBeScan && isInlinedScan(stacks, searchesOf(block), culprit, sources, MIN_SHARE)) return 'nested-scan';
  if (shown !== undefined && (!isLate || KNOWN_LATE.has(shown))) return shown;
  // A late answer comes from the call's own line or from the next one.
  const text = (isLate ? [culprit.lineNumber - 1, culprit.lineNumber] : [culprit.lineNumber])
    .map((line) => sources[culprit.filePath]?.[String(line)] ?? '')
    .join('\n');
  return CALLS.find(([, call, causes]) => causes.includes(cause) && call.test(text))?.[0];
}

/** The block with its kind. A kind that it has stays. */
export function withKind<T extends KindedBlock>(
  block: T,
  sources?: Sources,
  searchesOf?: (block: Block) => readonly Search[],
): T & Kinded {
  if (block.kind !== undefined) return block;
  const kind = kindOf(block, sources, searchesOf) ?? null;
  return { ...block, kind, ...(isGuessedKind(kind, block, sources) && { kindIsGuess: true }) };
}

function isGuessedKind(kind: CulpritKind | null, { culprit }: Block, sources: Sources = {}): boolean {
  return kind === NEEDS_SOURCE && culprit !== undefined && hasNativeCallBefore(culprit, sources) === undefined;
}

/** The searches that the blocks of a block's function show, for `kindOf`. */
export function searchesOfBlocks(blocks: readonly Block[]): (block: Block) => readonly Search[] {
  return searchesOfFunctions(blocks, stacksBelowCulprit);
}

/** What the code looks like by one stack alone, root first. */
export function kindOfStack(frames: readonly string[], culprit: string): CommonKind | undefined {
  const called = stacksBelow([[frames, 1]], culprit);
  const kind = kindOfStacks(called);
  // The callback of `map` may have an inlined search: only several stacks, or the source, tell one from the other.
  if (kind === 'unpaged-list') return undefined;
  const mayBeText =
    kind === 'regex-backtracking' && called.some(([below]) => below.some((frame) => MAY_TAKE_TEXT.test(frame)));
  return kind && { kind, isGuess: kind === NEEDS_SOURCE || mayBeText };
}

function stacksBelowCulprit(block: Block): Stack[] {
  return stacksBelow(stacksOf(block), block.culprit?.functionName ?? '');
}

function stacksBelow(stacks: readonly Stack[], culprit: string): Stack[] {
  return stacks.map(([frames, ms]): Stack => [frames.slice(frames.lastIndexOf(culprit) + 1), ms]);
}

function kindOfStacks(called: readonly Stack[]): CulpritKind | undefined {
  const totalMs = called.reduce((total, [, ms]) => total + ms, 0);
  return FRAMES.find(([kind, isOfKind]) => {
    const matchingMs = called.reduce((total, [frames, ms]) => (shows(frames, kind, isOfKind) ? total + ms : total), 0);
    return matchingMs > totalMs * MIN_SHARE;
  })?.[0];
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

function named(pattern: RegExp): (frame: string) => boolean {
  return (frame) => pattern.test(frame);
}

function shows(frames: readonly string[], kind: CulpritKind, isOfKind: (frame: string) => boolean): boolean {
  const index = frames.findLastIndex(isOfKind);
  return index >= 0 && frames.length - 1 - index <= (MOST_ABOVE[kind] ?? Infinity);
}
