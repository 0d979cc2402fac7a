import { kindOf, kindsOf, type FrameKind } from '../contract/frames.js';
import type { Frame, Sample } from '../contract/model.js';
import { isJsonCall, isRegExpFrame } from '../contract/native-calls.js';
import { framesOf, isBetweenCallbacks, isInNativeWrapper } from './visible-frames.js';

/** What an answer shows of the code that ran. */
export interface Visible {
  /** The code that ran, top first. Empty where the answer shows none. */
  readonly frames: readonly Frame[];
  readonly kinds: readonly FrameKind[];
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

export function visibleIn(sample: Sample, late: boolean): Visible {
  const frames = framesOf(sample.frames, late);
  const isPlace = !isBetweenCallbacks(frames) || isInNativeWrapper(frames);
  const state = stateOf(sample, frames, late);
  return { frames, kinds: kindsOf(frames), state, isLate: late, isCertain: isPlace && !late };
}

const SLEEPING_CALLS: ReadonlySet<string> = new Set(['Atomics.wait', 'spawnSync', 'execSync', 'execFileSync']);

/**
 * V8 can be interrupted in some native calls. Any other builtin on top of a sample that was not late proves no native
 * work: V8 interrupts optimised code only where it calls a builtin.
 */
function stateOf({ frames: taken }: Sample, frames: readonly Frame[], late: boolean): Visible['state'] {
  if (taken.some(isSleepingCall)) return 'asleep';
  if (late || isInNativeWrapper(taken)) return 'native';
  const [top] = frames;
  if (top === undefined || kindOf(top) !== 'builtin') return 'javascript';
  return isRegExpFrame(top.functionName) || isJsonCall(top.functionName) ? 'native' : 'javascript';
}

function isSleepingCall(frame: Frame): boolean {
  const kind = kindOf(frame);
  return SLEEPING_CALLS.has(frame.functionName) && (kind === 'builtin' || kind === 'internal');
}
