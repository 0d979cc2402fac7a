import { isJsonCall, isRegExpCall } from '@loopwatch/instrumentation-event-loop/internal';

import type { Stack } from '../stacks/flame.js';

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

/** Share of the sampled time that must look like the kind. */
export const MIN_SHARE = 0.5;

const CRYPTO = /^(pbkdf2Sync|scryptSync|argon2Sync|hkdfSync|generateKeyPairSync|generatePrimeSync|checkPrimeSync)$/;
const FILES =
  /^(readFileSync|writeFileSync|appendFileSync|copyFileSync|cpSync|readdirSync|readSync|writeSync|writevSync|fsyncSync|statSync|lstatSync|existsSync|openSync|rmSync|mkdirSync)$/;
const SEARCH = /^Array\.(find|findIndex|findLast|findLastIndex|some|every|filter)$/;
const LIST = /^Array\.(map|forEach|flatMap|reduce)$/;
const QUERY = /^(StatementSync|Statement)\.all$/;
/** `Date.toISOString`, `JSON.stringify`: of V8 or a class, which costs little where a callback of a list calls it. */
const METHOD = /^[A-Z][\w$]*\.[\w$]+$/;

/**
 * What the frames below the culprit's show, root first. The frame of a call that V8 cannot interrupt is on the stack only
 * while Node.js's own JavaScript around it runs, so crypto and files are recognised by that, anywhere in the stack. What a
 * callback calls is no search, and the callback of `replace` is no regular expression: they count near the top. The
 * callback of `JSON.stringify` is where V8 is interrupted between two values.
 */
const FRAMES: readonly (readonly [CulpritKind, (frames: readonly string[]) => boolean])[] = [
  ['sync-crypto', (frames) => frames.some((frame) => CRYPTO.test(frame))],
  ['sync-file-access', (frames) => frames.some((frame) => FILES.test(frame))],
  ['regex-backtracking', (frames) => isRegExpCall(frames.at(-1) ?? '')],
  ['large-json', (frames) => frames.slice(-2).some(isJsonCall)],
  ['nested-scan', (frames) => frames.slice(-2).some((frame) => SEARCH.test(frame))],
  ['unpaged-list', (frames) => isOwnList(frames) || frames.some((frame) => QUERY.test(frame))],
];

/** A list that the culprit itself goes through, with a callback that calls nothing of its own. */
function isOwnList([list = '', , called, ...deeper]: readonly string[]): boolean {
  return LIST.test(list) && deeper.length === 0 && (called === undefined || METHOD.test(called));
}

/** The kind that most of the time of the stacks below the culprit looks like. */
export function kindOfStacks(stacks: readonly Stack[]): CulpritKind | undefined {
  return FRAMES.find(([, shows]) => isMost(stacks, shows))?.[0];
}

/** Whether most of the time is in stacks that show it. */
export function isMost(stacks: readonly Stack[], shows: (frames: readonly string[]) => boolean): boolean {
  return timeOf(stacks.filter(([frames]) => shows(frames))) > timeOf(stacks) * MIN_SHARE;
}

function timeOf(stacks: readonly Stack[]): number {
  return stacks.reduce((total, [, ms]) => total + ms, 0);
}

export function isFileCall(frame: string): boolean {
  return FILES.test(frame);
}

/** The method of the search near the top of most stacks: `find`. */
export function searchMethodOf(stacks: readonly Stack[]): string | undefined {
  const shown = stacks.find(([frames]) => frames.slice(-2).some((frame) => SEARCH.test(frame)));
  return shown && SEARCH.exec(shown[0].findLast((frame) => SEARCH.test(frame))!)?.[1];
}

/** Whether the stacks show a list's method that calls what searches. */
export function isSearchInList(stacks: readonly Stack[]): boolean {
  return isMost(stacks, (frames) => {
    const at = frames.findLastIndex((frame) => SEARCH.test(frame));
    return frames.slice(0, Math.max(0, at)).some((frame) => frame.startsWith('Array.'));
  });
}

/** Whether the frame is one of Node's synchronous functions, if it is Node's. */
export function isSyncCall(frame: string): boolean {
  return CRYPTO.test(frame) || FILES.test(frame);
}
