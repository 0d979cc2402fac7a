import { isOfNodeOrV8, isOwn, kindOf, kindsOf, standsAtEntry, type FrameKind } from '../contract/frames.js';
import type { Frame, Sample } from '../contract/model.js';
import { isCloneCall, isJsonCall, isRegExpFrame } from '../contract/native-calls.js';

/** Maps frames of generated code to their source: as many, in the same order. */
export type MapStack = (stack: readonly Frame[]) => readonly Frame[];

/** What an answer shows of the code that ran. */
export interface Visible {
  /** The code that ran, top first. Empty where the answer shows none. */
  readonly frames: readonly Frame[];
  /** The same frames in their source. */
  readonly source: readonly Frame[];
  readonly kinds: readonly FrameKind[];
  readonly place: AnswerPlace;
  /** What the thread did when it did not wait for a CPU. */
  readonly state: 'javascript' | 'native' | 'asleep';
  /** V8 has answered only when a call had returned that it does not interrupt. */
  readonly isLate: boolean;
  /**
   * The answer shows what ran, and not only what ran next: V8 answers at the next place where it can. That place is near
   * in JavaScript, and anywhere after a native call, or where Node runs callbacks or is called by small functions.
   */
  readonly isCertain: boolean;
}

export function visibleIn(sample: Sample, isLate: boolean, mapStack: MapStack = (stack) => stack): Visible {
  const isOfLaterWork = showsLaterOwnWork(sample);
  const frames = isOfLaterWork ? [] : framesOf(sample.frames, isLate);
  const source = mapStack(frames);
  const place = isOfLaterWork ? 'between' : placeOf(sample.frames);
  const state = isLate || place === 'wrapper' ? 'native' : stateAtTop(frames);
  return {
    frames,
    source,
    kinds: kindsInSource(frames, source),
    place,
    state: sample.frames.some(isSleepingCall) ? 'asleep' : state,
    isLate,
    isCertain: !isLate && place !== 'between',
  };
}

const SLEEPING_CALLS: ReadonlySet<string> = new Set(['Atomics.wait', 'spawnSync', 'execSync', 'execFileSync']);

function isSleepingCall(frame: Frame): boolean {
  return SLEEPING_CALLS.has(frame.functionName) && isOfNodeOrV8(frame);
}

export function isInAtomicsWait({ frames }: Sample): boolean {
  return frames.some((frame) => frame.functionName === 'Atomics.wait' && isOfNodeOrV8(frame));
}

/**
 * V8 can be interrupted in some native calls. Any other builtin on top of a sample that was not late proves no native
 * work: V8 interrupts optimised code only where it calls a builtin.
 */
function stateAtTop([top, caller]: readonly Frame[]): Visible['state'] {
  if (top === undefined || kindOf(top) !== 'builtin') return 'javascript';
  if (isRegExpFrame(top.functionName) || isJsonCall(top.functionName)) return 'native';
  return caller !== undefined && isOfNodeOrV8(caller) && isCloneCall(caller.functionName) ? 'native' : 'javascript';
}

/**
 * Whose code each frame is. A bundle has the application and its packages in one file: there, the source decides, so that
 * the function of the application that calls a package is the culprit, as it is without a bundle. What the bundler has
 * written between the two is of neither.
 */
function kindsInSource(frames: readonly Frame[], source: readonly Frame[]): FrameKind[] {
  const bundles = new Set<string>();
  frames.forEach((frame, i) => {
    if (kindOf(frame) === 'application' && kindOf(source[i]!) !== 'application') bundles.add(frame.fileName);
  });
  if (bundles.size === 0) return kindsOf(frames);
  const kinds = kindsOf(frames.map((frame, i) => (bundles.has(frame.fileName) ? source[i]! : frame)));
  const isOfBundler = ({ fileName }: Frame, i: number): boolean =>
    bundles.has(fileName) && hasNoSource(fileName, source[i]!.fileName);
  return kinds.map((kind, i) => (isOfBundler(frames[i]!, i) ? 'loader-hook' : kind));
}

/** Sources that bundlers make up for their own code. */
const BUNDLERS_SOURCES = ['/webpack/bootstrap', '/webpack/runtime/', '[turbopack]', '\0'];

/** The source map of the bundle has no source for the bundler's own code, or a made-up one. */
function hasNoSource(file: string, sourceFile: string): boolean {
  // The file of a frame without a source may have changed from a URL to a path.
  return file.endsWith(sourceFile) || BUNDLERS_SOURCES.some((part) => sourceFile.includes(part));
}

/**
 * Whether nothing but work of this package was running that began after the question: V8 answers where a callback begins,
 * after the one that ran has returned. Own work is rare, and would count for what comes before it.
 */
function showsLaterOwnWork({ frames, passedCheckpoint }: Sample): boolean {
  if (!isOwnCallback(frames) || hasApplication(kindsOf(frames))) return false;
  const [top, caller] = frames.filter((frame) => !isOfNodeOrV8(frame));
  return passedCheckpoint || (caller === undefined && standsAtEntry(top!));
}

/** Whether the loop has called this package, and not the application. */
export function isOwnCallback(frames: readonly Frame[]): boolean {
  const callback = frames.findLast((frame) => !isOfNodeOrV8(frame));
  return callback !== undefined && isOwn(callback);
}

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

/**
 * Whether V8 has answered between two callbacks: in code that runs them, or where a function of Node is about to begin that
 * the loop has called, as after the native part of a connection. What ran before has left the stack.
 */
export function isBetweenCallbacks(frames: readonly Frame[]): boolean {
  if (showsOnlyScheduler(frames)) return true;
  const running = frames.find((frame) => kindOf(frame) !== 'builtin');
  return running !== undefined && standsAtEntry(running) && frames.every(isOfNodeOrV8);
}

/** Modules of Node whose own JavaScript does little more than call native code. */
const WRAPPERS = ['node:zlib', 'node:internal/crypto/'];
/** One of them does more, as in `randomUUID`, but for its functions that Node calls synchronous: `checkPrimeSync`. */
const MIXED = 'node:internal/crypto/random';
/** What they call to allocate, slice and copy memory: of their time, too, little is JavaScript. */
const BUFFERS: ReadonlySet<string> = new Set(['node:buffer', 'node:internal/buffer']);

/**
 * Where V8 has answered:
 * - `code`: in code of the application, of a package or of V8;
 * - `wrapper`: in a module of Node that wraps native calls. Where these are short, or the thread already waited for a CPU
 *   when it was asked, V8 answers there as soon as JavaScript does. At the entry of a function, it answers for the caller;
 * - `between`: in Node, at the entry of a function or between two callbacks, which shows nothing of what ran before;
 * - `node`: in another function of Node. It began before the call from which V8 has returned: V8 also answers at the
 *   entry of each function, so that it would have answered there otherwise.
 */
type AnswerPlace = 'code' | 'wrapper' | 'between' | 'node';

function placeOf(frames: readonly Frame[]): AnswerPlace {
  // A builtin of V8 need not be the one that ran before.
  const [running, ...callers] = frames.filter((frame) => kindOf(frame) !== 'builtin');
  if (running === undefined || running.isAsync || kindOf(running) !== 'internal') return 'code';
  const isAtEntry = standsAtEntry(running);
  const before = (isAtEntry ? callers : [running, ...callers]).find(({ fileName }) => !BUFFERS.has(fileName));
  if (before !== undefined && isWrapper(before)) return 'wrapper';
  return isAtEntry || isScheduler(running) ? 'between' : 'node';
}

function isWrapper({ fileName, functionName }: Frame): boolean {
  if (fileName.startsWith(MIXED) && !functionName.endsWith('Sync')) return false;
  return WRAPPERS.some((file) => fileName.startsWith(file));
}
