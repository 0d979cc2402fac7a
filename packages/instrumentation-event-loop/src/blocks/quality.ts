import { functionKey, kindOf, standsAtEntry } from '../contract/frames.js';
import type { Frame, Quality } from '../contract/model.js';
import type { Culprit } from './culprit.js';
import { isBetweenCallbacks } from './node-frames.js';
import { evidenceMsOf, hasEnoughAnswers, isAfterCollection } from './shares.js';
import { framesOf } from './visible-frames.js';
import { timeOf, type WeightedSample } from './weights.js';

/**
 * How far the samples show what ran. `post_native` is a guess: most of the culprit's time was answered only after a call
 * that V8 does not interrupt, or the answers are too few, or say nothing else about what ran.
 */
export function qualityOf(all: readonly WeightedSample[], culprit: Culprit | undefined): Quality {
  if (culprit === undefined && all.every(({ sample }) => sample.frames.length === 0)) return 'none';
  const samples = culprit?.samples ?? all;
  // The time before the first question, up to half of a short block, says nothing about the answers.
  const lateMs = timeOf(samples, ({ isLate }) => isLate);
  if (lateMs > timeOf(samples) / 2) return 'post_native';
  if (culprit === undefined) return 'live';
  const isGuess =
    !hasEnoughAnswers(culprit.samples) ||
    isSeenTooLate(culprit, all) ||
    isSeenAfterCollections(culprit) ||
    isSeenAtCallsOnly(culprit) ||
    isSeenAtEntryOnly(culprit, all) ||
    isSeenBetweenCallbacks(culprit);
  return isGuess ? 'post_native' : 'live';
}

/**
 * Whether more of the block came before the first question than the samples show of the culprit, which the first of them
 * does not show: in a short block, a native call that had begun before the question may have blocked for longer.
 */
function isSeenTooLate({ samples }: Culprit, [first]: readonly WeightedSample[]): boolean {
  if (first === undefined || samples.includes(first)) return false;
  return first.ranMs - first.evidenceMs > timeOf(samples);
}

/**
 * Whether the culprit is Node's, and V8 has answered mostly between two callbacks. Where each of many callbacks ends with
 * a short native call, V8 answers when the callback has left the stack, and the machine may be so busy that the wait for
 * the answer does not show that call.
 */
function isSeenBetweenCallbacks({ frame, samples }: Culprit): boolean {
  if (kindOf(frame) !== 'internal') return false;
  const betweenMs = timeOf(samples, (weighted) => isBetweenCallbacks(framesOf(weighted)));
  return betweenMs >= timeOf(samples) / 2;
}

/**
 * Whether most of the culprit's time was answered only after a garbage collection, each time in another function. V8
 * answers at the next call or end of a loop after a collection, which favours small functions and shows by chance what
 * made the garbage. Where most answers come from one function, that function made it.
 */
function isSeenAfterCollections({ occurrences }: Culprit): boolean {
  const after = occurrences.filter(({ weighted }) => isAfterCollection(weighted));
  const afterMs = evidenceMsOf(after);
  if (afterMs < evidenceMsOf(occurrences) / 2) return false;
  const times = new Map<string, number>();
  for (const { weighted, innermost } of after) {
    const key = functionKey(innermost);
    times.set(key, (times.get(key) ?? 0) + weighted.evidenceMs);
  }
  return Math.max(...times.values()) < afterMs / 2;
}

/** Share of the culprit's time up to which samples in the functions of Node that it calls are passed over. */
const MAX_IN_NODE_SHARE = 0.15;
/** Share of the culprit's time from which on a function that it calls may have had the time at the end of its loop. */
const MIN_CALLED_SHARE = 0.1;

/**
 * Whether the time that the samples show in the culprit itself may be time in a function that it calls. V8 inlines small
 * functions, and does not interrupt optimised recursion through a builtin on its way: it answers when that has returned,
 * at the next entry of a function of Node that the culprit calls, or at the end of the culprit's loop. This is the case
 * - where the samples show the culprit never at work itself, but most of the time at such entries, and otherwise in
 *   functions that it calls;
 * - where they show it at work at one place only, the end of its loop, and otherwise at such entries and in functions
 *   that it calls.
 */
function isSeenAtCallsOnly({ occurrences }: Culprit): boolean {
  let atCallsMs = 0;
  let inNodeMs = 0;
  let calledMs = 0;
  const places = new Set<string>();
  for (const { weighted, frame, innermost } of occurrences) {
    const [top] = framesOf(weighted);
    if (functionKey(innermost) !== functionKey(frame)) calledMs += weighted.evidenceMs;
    else if (top !== undefined && kindOf(top) === 'internal' && standsAtEntry(top)) atCallsMs += weighted.evidenceMs;
    else if (weighted.isLate) continue;
    else if (top === frame) places.add(`${frame.lineNumber}:${frame.columnNumber}`);
    else inNodeMs += weighted.evidenceMs;
  }
  const totalMs = evidenceMsOf(occurrences);
  if (inNodeMs > totalMs * MAX_IN_NODE_SHARE) return false;
  if (places.size === 0) return calledMs > 0 && atCallsMs > calledMs;
  return places.size === 1 && atCallsMs > 0 && calledMs > totalMs * MIN_CALLED_SHARE;
}

/** Share of the culprit's time, at its entry, from which on the samples show hardly more of it than that. */
const MIN_AT_ENTRY_SHARE = 0.9;
/** Share of the time in the culprit and beside it from which on the time at its entry may be that of a function beside it. */
const MIN_BESIDE_SHARE = 0.1;

/**
 * Whether the samples show hardly more of the culprit than its entry, and other places under its caller as well. At an
 * entry, V8 answers for what ran before: for a loop that calls one small function after the other, each with a short
 * native call such as that of a regular expression, the samples show the function after the one that took the time.
 */
function isSeenAtEntryOnly({ occurrences, frame }: Culprit, all: readonly WeightedSample[]): boolean {
  const key = functionKey(frame);
  const callers = new Set<string>();
  let atEntryMs = 0;
  for (const { weighted, frame: shown } of occurrences) {
    const [top, caller, ...others] = framesOf(weighted);
    // A builtin calls the function again and again, and a function that calls itself began before.
    if (top !== shown || !standsAtEntry(top) || caller === undefined || kindOf(caller) === 'builtin') continue;
    if (functionKey(caller) === key || others.some((other) => functionKey(other) === key)) continue;
    callers.add(functionKey(caller));
    atEntryMs += weighted.evidenceMs;
  }
  const totalMs = evidenceMsOf(occurrences);
  if (atEntryMs < totalMs * MIN_AT_ENTRY_SHARE) return false;
  const ofCulprit = new Set(occurrences.map(({ weighted }) => weighted));
  const besideMs = timeOf(all, (weighted) => !ofCulprit.has(weighted) && isBeside(framesOf(weighted), callers));
  return besideMs > (totalMs + besideMs) * MIN_BESIDE_SHARE;
}

/** Whether one of the callers ran itself, or was about to call another function. */
function isBeside([top, caller]: readonly Frame[], callers: ReadonlySet<string>): boolean {
  if (top === undefined) return false;
  return (
    callers.has(functionKey(top)) || (caller !== undefined && standsAtEntry(top) && callers.has(functionKey(caller)))
  );
}
