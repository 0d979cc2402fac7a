import type { Block, CodeLocation, Sources } from '../types.js';

/** A stack below the culprit, root first, and its time. */
export type Stack = readonly [frames: readonly string[], ms: number];

/** A search through an array that a sample shows. */
export interface Search {
  /** `find` */
  readonly method: string;
  /** The frames between the culprit and the search. */
  readonly caller: readonly string[];
}

const METHODS = 'find|findIndex|findLast|findLastIndex|some|every|filter|includes|indexOf|lastIndexOf';
const SEARCH_FRAME = new RegExp(`^Array\\.(${METHODS})$`);
/**
 * V8 interrupts an inlined search, or one that is native code, only at the next check of the loop around it. The samples
 * then show that loop, or one of these, which the loop calls once for each element.
 */
const AFTER_SEARCH = /^(Array\.push|Array Iterator\.next)$/;
/** Calls that can stand beside the search, because they cost little. Any other could be what takes the time. */
const CHEAP_CALLS = /^(push|add|set|has|for|while|if|return|switch|function|Boolean|Number)$/;

/** Lines of a loop that are read. */
const MAX_BODY_LINES = 200;

/**
 * Whether the time was spent in these searches, where V8 has inlined them or they leave no frame: most of it must be in
 * them or in the code that calls them, and the source of that code must have no other call that could take the time. For
 * where the thread answers after `JSON.parse`, it may well be in the callback of a search.
 */
export function isInlinedScan(
  stacks: readonly Stack[],
  searches: readonly Search[],
  { functionName, filePath, lineNumber }: CodeLocation,
  sources: Sources,
  minShare: number,
): boolean {
  const calls = callsFrom(lineNumber, sources[filePath] ?? {});
  const called = searches.filter(({ method }) => calls.has(method));
  if (called.length === 0) return false;
  const harmless = new Set([functionName, ...called.map(({ method }) => method)]);
  const loops = new Set(called.flatMap(({ caller }) => caller));
  const isHarmless = (call: string): boolean =>
    harmless.has(call) || CHEAP_CALLS.test(call) || loops.has(`Array.${call}`);
  if (![...calls].every(isHarmless)) return false;

  const callers = new Set(called.map(({ caller }) => caller.join(';')));
  const isSearch = ([frames]: Stack): boolean => searchOf(frames) !== undefined || callers.has(withoutCheap(frames));
  return timeOf(stacks.filter(isSearch)) > timeOf(stacks) * minShare;
}

/** By function: only the first blocks show a search, those after its optimisation do not. */
export function searchesOfFunctions(
  blocks: readonly Block[],
  stacksOf: (block: Block) => readonly Stack[],
): (block: Block) => readonly Search[] {
  const byFunction = new Map<string, Map<string, Search>>();
  for (const block of blocks) {
    const searches = byFunction.get(functionOf(block)) ?? new Map<string, Search>();
    byFunction.set(functionOf(block), searches);
    for (const [frames] of stacksOf(block)) {
      const search = searchOf(frames);
      if (search !== undefined) searches.set([...search.caller, search.method].join(';'), search);
    }
  }
  return (block) => [...(byFunction.get(functionOf(block))?.values() ?? [])];
}

function functionOf({ culprit }: Block): string {
  return `${culprit?.filePath}:${culprit?.functionName}`;
}

/** The search on top of a stack, or below the callback that it calls. */
function searchOf(frames: readonly string[]): Search | undefined {
  const index = frames.findIndex((frame) => SEARCH_FRAME.test(frame));
  if (index === -1 || index < frames.length - 2) return undefined;
  return { method: SEARCH_FRAME.exec(frames[index]!)![1]!, caller: frames.slice(0, index) };
}

function withoutCheap(frames: readonly string[]): string {
  return (AFTER_SEARCH.test(frames.at(-1) ?? '') ? frames.slice(0, -1) : frames).join(';');
}

function timeOf(stacks: readonly Stack[]): number {
  return stacks.reduce((total, [, ms]) => total + ms, 0);
}

/**
 * What is called in a line and in the block that it opens: names, or a sign where another value is called or a list is
 * copied. Empty where not all of the block is known.
 */
function callsFrom(lineNumber: number, lines: Readonly<Record<string, string>>): ReadonlySet<string> {
  let text = '';
  let isWhole = false;
  for (let offset = 0; offset < MAX_BODY_LINES && !isWhole; offset++) {
    const next = lines[String(lineNumber + offset)];
    if (next === undefined) return new Set();
    text += `${next.replace(/\/\/.*$/, '')}\n`;
    // The body of a loop without braces is the next line.
    isWhole = openBrackets(text) <= 0 && !/\b(?:for|while)\s*\(.*\)\s*$/.test(text.trimEnd());
  }
  if (!isWhole) return new Set();
  const calls = text.matchAll(/([\w$]+|[\])`])\s*(?:\?\.)?\(|(\[\.\.\.)/g);
  return new Set([...calls].map(([, name, copy]) => name ?? copy!));
}

function openBrackets(text: string): number {
  const count = (brackets: RegExp): number => text.match(brackets)?.length ?? 0;
  return count(/[([{]/g) - count(/[)\]}]/g);
}
