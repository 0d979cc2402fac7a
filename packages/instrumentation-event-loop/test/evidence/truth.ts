import type { Cause } from '../../src/contract/model.js';
import type { Profile, ProfiledFunction, Truth } from './recording.ts';

/**
 * The share of a block from which on it had a cause is one half. A share within this distance of a limit decides
 * nothing: the measurements are that exact.
 */
const UNDECIDED_SHARE = 0.1;
/** The same for a length, ms: the program and the instrumentation measure at slightly different points. */
const UNDECIDED_MS = 20;

/** Whether a measured value reaches a limit: certainly, certainly not, or so near that it may. */
type Reaches = 'yes' | 'no' | 'maybe';

function reaches(value: number, limit: number, distance: number): Reaches {
  if (value >= limit + distance) return 'yes';
  return value <= limit - distance ? 'no' : 'maybe';
}

/** Whether the program was busy for long enough to be a block. */
export function isLong(truth: Truth, thresholdMs: number): Reaches {
  return reaches(lengthOf(truth), thresholdMs, UNDECIDED_MS);
}

export function lengthOf({ startNowMs, endNowMs }: Truth): number {
  return endNowMs - startNowMs;
}

/** Causes that the measurements allow: one, or more where a share is too near to one half. Empty: nothing is known. */
export function measuredCauses(truth: Truth, profile: Profile | undefined, thresholdMs: number): readonly Cause[] {
  const { cpuMs, runQueueMs, throttledMs = 0, gcMs } = truth;
  const lengthMs = lengthOf(truth);
  if (cpuMs === undefined || runQueueMs === undefined) return [];
  const heldMs = Math.min(runQueueMs + throttledMs, Math.max(0, lengthMs - cpuMs));
  const aloneMs = lengthMs - heldMs;
  const causes: Cause[] = [];
  const isAlone = reaches(aloneMs, thresholdMs, UNDECIDED_MS);
  if (isAlone !== 'yes') causes.push('cpu_starved');
  if (isAlone === 'no') return causes;
  const collects = reaches(gcMs / lengthMs, 1 / 2, UNDECIDED_SHARE);
  if (collects !== 'no') causes.push('gc');
  if (collects === 'yes') return causes;
  // The thread also sleeps while V8's helper threads finish their part of a collection.
  const offMs = Math.max(0, aloneMs - cpuMs);
  const sleepsAtMost = reaches(offMs / aloneMs, 1 / 2, UNDECIDED_SHARE);
  const sleepsAtLeast = reaches((offMs - gcMs) / aloneMs, 1 / 2, UNDECIDED_SHARE);
  const sleeps = sleepsAtMost === 'no' ? 'no' : sleepsAtLeast === 'yes' ? 'yes' : 'maybe';
  if (sleeps !== 'no') causes.push('waiting');
  if (sleeps === 'yes') return causes;
  const code = profile === undefined ? [] : codeCauses(profile);
  return code.length === 0 ? [] : [...causes, ...code];
}

/** Fewer ticks show too little. */
const MIN_TICKS = 30;

/** What may have been part of a native call or not counts once for the one and once for the other. */
function codeCauses({ ticks }: Profile): Cause[] {
  if (ticks === undefined) return [];
  const { javascript, either, native } = ticks;
  const all = javascript + either + native;
  if (all < MIN_TICKS) return [];
  const atLeast = reaches(native / all, 1 / 2, UNDECIDED_SHARE);
  const atMost = reaches((native + either) / all, 1 / 2, UNDECIDED_SHARE);
  return [...(atMost === 'no' ? [] : ['native' as const]), ...(atLeast === 'yes' ? [] : ['javascript' as const])];
}

/** A profile with less time than this, ms, shows too little. */
const MIN_PROFILED_MS = 40;

/**
 * The functions that the measurements allow as the culprit: the deepest one of the application with half of the time,
 * and deeper ones that are too near to it. An anonymous callback may be named by the function around it. Empty: nothing
 * is known.
 */
export function measuredCulprits(profile: Profile | undefined): readonly ProfiledFunction[] {
  if (profile === undefined) return [];
  const totalMs = profile.otherMs;
  if (totalMs < MIN_PROFILED_MS) return [];
  const own = profile.functions.filter(({ url }) => isOfApplication(url));
  const known = own.length > 0 ? own : profile.functions.filter(({ url }) => url.includes('/node_modules/'));
  return [
    ...until(known, totalMs),
    ...until(
      known.filter(({ functionName }) => functionName !== ''),
      totalMs,
    ),
  ];
}

/** Deepest first, up to the first one that certainly has half of the time. */
function until(functions: readonly ProfiledFunction[], totalMs: number): ProfiledFunction[] {
  const allowed: ProfiledFunction[] = [];
  for (const each of functions) {
    const isMost = reaches(each.ms / totalMs, 1 / 2, UNDECIDED_SHARE);
    if (isMost !== 'no') allowed.push(each);
    if (isMost === 'yes') return allowed;
  }
  return allowed;
}

function isOfApplication(url: string): boolean {
  return /^(file:\/\/)?\/app\//.test(url) && !url.includes('/node_modules/');
}
