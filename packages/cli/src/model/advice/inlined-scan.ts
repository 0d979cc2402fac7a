import { callsIn, statementFrom } from './source-around.js';
import type { Stack } from '../stacks/flame.js';
import type { Block, CodeLocation, Sources } from '../types.js';

/** A search through an array that a sample shows. */
export interface Search {
  /** `find` */
  readonly method: string;
  /** The frames between the culprit and the search. */
  readonly caller: readonly string[];
}

export const SEARCH_METHODS = 'find|findIndex|findLast|findLastIndex|some|every|filter|includes|indexOf|lastIndexOf';
const SEARCH_FRAME = new RegExp(`^Array\\.(${SEARCH_METHODS})$`);
/**
 * V8 interrupts an inlined search, or one that is native code, only at the next check of the loop around it. The samples
 * then show that loop, or one of these, which the loop calls once for each element.
 */
const AFTER_SEARCH = /^(Array\.push|Array Iterator\.next)$/;
/** Calls that can stand beside the search, because they cost little. Any other could be what takes the time. */
const CHEAP_CALLS = /^(push|add|set|has|for|while|if|return|switch|function|Boolean|Number)$/;

/**
 * The search in which the time was spent, where V8 has inlined it or it leaves no frame. Most of the time must be in
 * searches or in the code that calls them. The source of that code must have no other call that could take the time: a
 * thread that answers after `JSON.parse` is often in the callback of a search by then.
 */
export function inlinedSearch(
  stacks: readonly Stack[],
  searches: readonly Search[],
  culprit: CodeLocation,
  sources: Sources,
  minShare: number,
): Search | undefined {
  const calls = callsIn(statementFrom(culprit, sources) ?? '');
  const called = searches.filter(({ method }) => calls.has(method));
  if (called.length === 0) return undefined;
  const harmless = new Set([culprit.functionName, ...called.map(({ method }) => method)]);
  const loops = new Set(called.flatMap(({ caller }) => caller));
  const isHarmless = (call: string): boolean => harmless.has(call) || isCheap(call) || loops.has(`Array.${call}`);
  if (![...calls].every(isHarmless)) return undefined;

  const callers = new Set(called.map(({ caller }) => caller.join(';')));
  const isSearch = ([frames]: Stack): boolean => searchOf(frames) !== undefined || callers.has(withoutCheap(frames));
  return timeOf(stacks.filter(isSearch)) > timeOf(stacks) * minShare ? called[0] : undefined;
}

/** Whether a call of that name can stand beside a search, because it costs little. */
export function isCheap(call: string): boolean {
  return CHEAP_CALLS.test(call);
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

/** Whether V8 has answered there for the loop around, which calls it once for each element. */
export function isOfLoop(frame: string): boolean {
  return AFTER_SEARCH.test(frame);
}

function withoutCheap(frames: readonly string[]): string {
  return (AFTER_SEARCH.test(frames.at(-1) ?? '') ? frames.slice(0, -1) : frames).join(';');
}

function timeOf(stacks: readonly Stack[]): number {
  return stacks.reduce((total, [, ms]) => total + ms, 0);
}
