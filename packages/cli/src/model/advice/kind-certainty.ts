import type { Stack } from '../stacks/flame.js';
import { isCheap } from './inlined-scan.js';
import { type CulpritKind, isFileCall, isMost, isSearchInList, isSyncCall, searchMethodOf } from './kind-evidence.js';
import { shapeIn } from './regex-pattern.js';
import { callAround, callsIn, linesAbove, linesOf, loopAround, NATIVE_CALL, statementFrom } from './source-around.js';
import { parseStack } from '../stacks/stack.js';
import type { Block, CodeLocation, Sources } from '../types.js';

/** `undefined`: the source shows that it is something else. */
export type Certainty = 'sure' | 'guess' | undefined;

/** What a kind that the stacks show is judged by. */
export interface Seen {
  readonly block: Block;
  readonly culprit: CodeLocation;
  /** Below the culprit. */
  readonly stacks: readonly Stack[];
  readonly sources: Sources;
}

/** What the source says to a kind that the stacks show. Without the source, most kinds are a guess. */
export const CERTAINTY: Readonly<Record<CulpritKind, (seen: Seen) => Certainty>> = {
  'sync-crypto': (seen) => {
    const owner = ownerOfCall(seen);
    if (owner === 'others') return undefined;
    return owner === undefined || hasOtherNativeCall(seen, { own: CRYPTO_CALL }) === true ? 'guess' : 'sure';
  },
  'sync-file-access': (seen) => {
    const owner = ownerOfCall(seen);
    if (owner === 'others') return undefined;
    if (owner === undefined) return 'guess';
    // Inside of a function of `node:fs`, no other call can have taken the time.
    if (isMost(seen.stacks, (frames) => frames.slice(0, -1).some(isFileCall))) return 'sure';
    return hasOtherNativeCall(seen, { own: FILE_CALL }) === false ? 'sure' : 'guess';
  },
  'regex-backtracking': ({ block, culprit, sources }) => {
    if (block.cause === 'gc') return undefined;
    const line = linesOf(sources, culprit.filePath)(culprit.lineNumber);
    const shape = line === undefined ? undefined : shapeIn(line, linesAbove(culprit, sources));
    if (shape === null || shape === 'bounded') return undefined;
    return shape === 'ambiguous' ? 'sure' : 'guess';
  },
  // V8 answers in `JSON.stringify` also where `toJSON` or a replacer has the time, and of many small documents.
  'large-json': () => 'guess',
  'nested-scan': (seen) => {
    const method = searchMethodOf(seen.stacks);
    return method === undefined ? undefined : certaintyOfScan(seen, method, isSearchInList(seen.stacks));
  },
  // How long the list is, no stack shows: a few elements that cost much look the same. Where the callback can do nothing
  // that takes long, it is the list that does.
  'unpaged-list': ({ culprit, sources, block }) => {
    if (block.cause === 'gc') return undefined;
    const place = callAround(culprit, sources, LIST_CALL) ?? culprit;
    const text = statementFrom(place, sources) ?? linesOf(sources, place.filePath)(place.lineNumber) ?? '';
    const [, method, callback = ''] = /\.(map|forEach|flatMap|reduce)\(([^]*)/.exec(text) ?? [];
    // A result that grows by a copy with each element costs the square of their number.
    if (method === 'reduce' && /\.\.\.|\.concat\(/.test(callback)) return undefined;
    if (hasWorkOfItsOwn(callback) || /\]\s*\.(?:map|forEach|flatMap|reduce)\(/.test(text)) return undefined;
    return isShort(callback) ? 'sure' : 'guess';
  },
};

const CRYPTO_CALL = /^(?:pbkdf2|scrypt|argon2|hkdf|generateKeyPair|generatePrime|checkPrime)Sync\($/;
const SYNC_CALL = /\wSync\s*\(/;
const FILE_CALL = /^(?:read|write|append|copy|cp|stat|lstat|exists|open|rm|mkdir|fsync)\w*Sync\($/;
/** An arrow function or function that stands in the call. */
const INLINE_CALLBACK = /^\s*(?:async\s+)?(?:\(?[^()]*\)?\s*=>|function\b)/;
/** Calls of which each takes about a microsecond at most, whatever it is given; `isCheap` knows others. */
const SHORT_CALL = /^(?:Date|getTime|toISOString|abs|ceil|floor|round|sqrt|trunc)$/;
/** What copies a list or an object, may compute with large integers, or makes text. */
const LONG_OPERATION = /\.\.\.|\*\*|`/;
/** The head of a loop over a list that is written out, or with fewer than ten iterations: one search has the time then. */
const SHORT_LOOP =
  /\bof\s*\[[^\]]*\]\s*\)|\b\w+\s*<=?\s*\d\s*;|(?<![\w)\]])\[[^\]]*\]\.(?:map|forEach|flatMap|reduce)\(/;
const LIST_CALL = /\.(?:map|forEach|flatMap|reduce)\(/;

/** Whether what is searched is searched in a loop, with nothing else in it that could take the time. */
export function certaintyOfScan(seen: Seen, method: string, isInList: boolean): Certainty {
  const { block, culprit, sources } = seen;
  if (block.cause === 'gc' || hasOtherNativeCall(seen, { method }) === true) return undefined;
  const call = `.${method}(`;
  const place = callAround(culprit, sources, new RegExp(`\\.${method}\\(`)) ?? culprit;
  const text = statementFrom(place, sources) ?? linesOf(sources, place.filePath)(place.lineNumber);
  const [before = '', ...after] = text?.split(call) ?? [];
  if (after.length === 0) return 'guess';
  const callback = argumentsOf(after.join(call));
  if (hasWorkOfItsOwn(callback)) return undefined;
  const isPlain = [...callsIn(callback)].every((name) => isCheap(name) || name === method);
  const isInLoop = isInList || /\b(?:for|while)\s*\(|\bdo\b|\.(?:map|forEach|flatMap|reduce)\(/.test(before);
  const loop = isInLoop ? '' : loopAround(place, sources, method);
  // One pass over a long list is no nested scan: `filter` goes through all of it. The caller may be a loop.
  if (loop === null && method === 'filter') return undefined;
  if (!isPlain || typeof loop !== 'string') return 'guess';
  const [head = ''] = (isInLoop ? before : loop).split('\n');
  return SHORT_LOOP.test(head) ? 'guess' : 'sure';
}

/** The text up to the bracket that closes what is open at its start. */
function argumentsOf(text: string): string {
  let open = 1;
  for (let index = 0; index < text.length; index++) {
    if ('([{'.includes(text[index]!)) open++;
    if (')]}'.includes(text[index]!) && --open === 0) return text.slice(0, index);
  }
  return text;
}

/** Whether a callback has a loop or another search: it could be what takes the time. */
function hasWorkOfItsOwn(callback: string): boolean {
  return (
    /\b(?:for|while)\s*\(|\bdo\s*\{/.test(callback) ||
    /\.(?:map|forEach|flatMap|reduce|filter|find|findIndex|findLast|findLastIndex|some|every|sort|includes|indexOf)\(/.test(
      callback,
    )
  );
}

/** Whether what is known to be a whole call of a list's method gives it a callback that cannot take long. */
function isShort(callback: string): boolean {
  if (!INLINE_CALLBACK.test(callback) || LONG_OPERATION.test(callback)) return false;
  return [...callsIn(callback)].every((name) => isCheap(name) || SHORT_CALL.test(name));
}

/**
 * Whose the synchronous functions are that the stacks show: a package can have some of the same names, as a file system in
 * memory or a writer of spreadsheets has. Of the stacks, only the most frequent one has files; where it does not show
 * them, Node's are those that the culprit calls by name. Undefined: neither shows it.
 */
function ownerOfCall({ block, culprit, stacks, sources }: Seen): 'node' | 'others' | undefined {
  const stack = parseStack(block.stackTrace ?? '');
  const calls = stack.filter(({ functionName, isAwait }) => !isAwait && isSyncCall(functionName));
  if (calls.some(({ filePath }) => filePath?.startsWith('node:') === false)) return 'others';
  const lines = linesAbove(culprit, sources);
  if (calls.length > 0 || lines.some((line) => SYNC_CALL.test(line))) return 'node';
  return lines[0] !== '' && isMost(stacks, ([called = '']) => isSyncCall(called)) ? 'others' : undefined;
}

/**
 * Whether a native call of another kind stands in the same loop, or above the line where there is none: the thread then
 * answers after it, often within the next call, however little time that takes. Undefined: the source does not show it.
 */
function hasOtherNativeCall(
  { culprit, sources, block }: Seen,
  { own, method }: { readonly own?: RegExp; readonly method?: string },
): boolean | undefined {
  const loop = loopAround(culprit, sources, method);
  if (loop === undefined) return undefined;
  const lineAt = linesOf(sources, culprit.filePath);
  const above = block.stackQuality === 'post_native' ? [-2, -1, 0] : [0];
  const text = loop ?? above.map((offset) => lineAt(culprit.lineNumber + offset) ?? '').join('\n');
  const calls = text.matchAll(new RegExp(NATIVE_CALL, 'g'));
  return [...calls].some(([call]) => !own?.test(call));
}
