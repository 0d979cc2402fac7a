import { isOwn, kindOf, kindsOf, standsAtEntry, type FrameKind } from '../contract/frames.js';
import type { Frame, Sample } from '../contract/model.js';

/**
 * The frames of the code that ran before an answer. After a native call, V8 answers at the entry of the next function
 * that is called: that function has not run yet, so its frame is removed, and so is one of this package. Where then only
 * Node or telemetry is left, the code that ran before has left the stack, and no frame is returned.
 */
export function framesOf(frames: readonly Frame[], isLate: boolean): readonly Frame[] {
  const [top, ...callers] = frames;
  if (!isLate || top === undefined || !(isOwn(top) || standsAtEntry(top))) return frames;
  return hasApplication(kindsOf(callers)) ? callers : [];
}

export function hasApplication(kinds: readonly FrameKind[]): boolean {
  return kinds.includes('application') || kinds.includes('dependency');
}

/**
 * Whether a sample of a thread that slept shows who did: the code of the application or of a dependency is on the stack,
 * or the thread sleeps with work pending. A function at its entry was called after the sleep.
 */
export function showsSleeper({ frames, pending }: Sample): boolean {
  return (pending?.length ?? 0) > 0 || hasApplication(kindsOf(framesOf(frames, true)));
}

/**
 * Whether nothing was on the stack before the sample was taken: it has no frame, or only that of the function which Node
 * or V8 calls next, such as the clean-up of a `FinalizationRegistry`.
 */
export function hasLeftNoStack(sample: Sample): boolean {
  const [top, ...callers] = sample.frames;
  if (showsSleeper(sample) || callers.length > 0) return false;
  return top === undefined || standsAtEntry(top) || kindsOf([top])[0] === 'builtin';
}

/** Files of Node that run the callbacks of timers, ticks and promises one after the other, each in its own context. */
const SCHEDULERS = [
  'node:internal/timers',
  'node:internal/process/',
  'node:async_hooks',
  'node:internal/async_hooks',
  'node:internal/async_local_storage/',
  'node:internal/async_context_frame',
];

/** Whether the frame is of code of Node that runs callbacks: it is below all that they do. */
export function isScheduler({ fileName }: Frame): boolean {
  return SCHEDULERS.some((file) => fileName.startsWith(file));
}

/** Whether the stack shows nothing but code that runs callbacks: V8 has answered between two of them. */
export function showsOnlyScheduler(frames: readonly Frame[]): boolean {
  return frames.every((frame) => isScheduler(frame) || kindOf(frame) === 'builtin');
}

/** The same, of ticks and microtasks alone. */
export function showsOnlyTicks(frames: readonly Frame[]): boolean {
  return frames.every((frame) => frame.fileName.startsWith('node:internal/process/') || kindOf(frame) === 'builtin');
}

/**
 * Whether V8 has answered at a place of Node that shows nothing of what ran before: at the entry of a function, or
 * between two callbacks.
 */
export function isBetweenCallbacks(frames: readonly Frame[]): boolean {
  const running = runningFrame(frames);
  return running !== undefined && kindOf(running) === 'internal' && (isScheduler(running) || standsAtEntry(running));
}

/**
 * Whether V8 has answered in a function of Node that began before the call from which it returned: V8 also answers at
 * the entry of each function, so that it would have answered there otherwise.
 */
export function isInNode(frames: readonly Frame[]): boolean {
  const running = runningFrame(frames);
  return running !== undefined && kindOf(running) === 'internal' && !isScheduler(running) && !running.isAsync;
}

/** Modules of Node whose own JavaScript does little more than call native code. */
const WRAPPERS = ['node:zlib', 'node:internal/crypto/'];
/** One of them does more, as in `randomUUID`, but for its functions that Node calls synchronous: `checkPrimeSync`. */
const MIXED = 'node:internal/crypto/random';

/**
 * Whether a module of Node was running that wraps native calls. Where these are short, or the thread already waited for a
 * CPU when it was asked, V8 answers in that module as soon as JavaScript does. At the entry of a function, it answers for
 * what ran before: its caller.
 */
export function isInNativeWrapper(frames: readonly Frame[]): boolean {
  const [running, caller] = frames.filter((frame) => kindOf(frame) !== 'builtin');
  if (running === undefined) return false;
  const before = kindOf(running) === 'internal' && standsAtEntry(running) ? caller : running;
  if (before === undefined) return false;
  if (before.fileName.startsWith(MIXED) && !before.functionName.endsWith('Sync')) return false;
  return WRAPPERS.some((file) => before.fileName.startsWith(file));
}

/** A builtin of V8 need not be the one that ran before. */
function runningFrame(frames: readonly Frame[]): Frame | undefined {
  return frames.find((frame) => kindOf(frame) !== 'builtin');
}
