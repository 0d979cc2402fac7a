import { OWN_WORK } from '../blocks/attribute.js';
import { nameableFrames } from '../blocks/nameable-frames.js';
import { isScheduler, showsOnlyScheduler } from '../blocks/visible-frames.js';
import { nameInProfile } from '../blocks/profile.js';
import { functionKey, isOwn, kindsOf, standsAtEntry } from '../contract/frames.js';
import type { BusyAnswer, BusyCount } from '../contract/busy-time-data.js';
import type { Interval } from '../contract/interval.js';
import type { Frame } from '../contract/model.js';

/**
 * A running thread answers within 0.1 ms, the first time within some milliseconds. An answer that takes longer than this,
 * ms, was delayed by code that V8 cannot interrupt. The larger value is for systems that do not record how long a thread
 * waits for a CPU: such a wait looks the same there.
 */
const LATE_ANSWER_MS = 0.5;
const LATE_ANSWER_UNKNOWN_WAIT_MS = 15;
const LATE_FIRST_ANSWER_MS = 10;

/** Longest folded stack, in characters. The outermost functions are left out first. */
const MAX_STACK_LENGTH = 8192;

const KINDS_IN_ORDER = ['application', 'dependency', 'telemetry', 'internal'] as const;

export interface CountContext {
  /** Busy periods of the threshold or longer. */
  readonly longPeriods: readonly Interval[];
  /** Times that do not count, such as that at a breakpoint. */
  readonly excluded: readonly Interval[];
  /** Maps frames of generated code to their source. */
  readonly mapStack: (stack: readonly Frame[]) => readonly Frame[];
}

/** Counts the arrivals of equal answers: of the same function, stack and context, within blocks and outside of them. */
export function countAnswers(answers: readonly BusyAnswer[], context: CountContext): BusyCount[] {
  const counts: Counted[] = [];
  const byStack = new Map<string, Counted[]>();
  for (const answer of answers) {
    if (context.excluded.some((interval) => isWithin(answer.takenAt, interval))) continue;
    const isLate = isLateAnswer(answer);
    const frames = context.mapStack(framesBefore(answer.frames, isLate));
    const isKnown = frames.length > 0;
    const culprit = isKnown ? innermostFunction(frames) : undefined;
    const seen = {
      // Where the code has left the stack, the context is that of what ran next.
      context: isKnown || !isLate ? answer.context : undefined,
      culprit,
      stack: culprit ? foldStack(frames) : '',
      isInBlock: context.longPeriods.some(
        (period) => isWithin(answer.takenAt, period) || isWithin(answer.requestedAt, period),
      ),
    };
    const key = `${culprit ? functionKey(culprit) : ''} ${seen.stack}`;
    const alike = byStack.get(key) ?? [];
    byStack.set(key, alike);
    let counted = alike.find((other) => other.context === seen.context && other.isInBlock === seen.isInBlock);
    if (!counted) {
      counted = { ...seen, answers: 0, lateAnswers: 0 };
      alike.push(counted);
      counts.push(counted);
    }
    counted.answers += answer.arrivals;
    if (isLate) counted.lateAnswers += answer.arrivals;
  }
  return counts;
}

type Counted = { -readonly [Key in keyof BusyCount]: BusyCount[Key] };

function isWithin(time: number, { start, end }: Interval): boolean {
  return time >= start && time <= end;
}

/** Whether the answer came only after a call that V8 does not interrupt. The time in which the thread had no CPU does not count. */
function isLateAnswer({ sentAt, takenAt, sentRunQueueMs, threadTimes, isFirst }: BusyAnswer): boolean {
  if (sentAt === undefined) return false; // answered while the question was sent
  const runQueueMs = threadTimes?.runQueueMs;
  const queuedMs =
    runQueueMs === undefined || sentRunQueueMs === undefined ? undefined : Math.max(0, runQueueMs - sentRunQueueMs);
  const limitMs = queuedMs === undefined ? LATE_ANSWER_UNKNOWN_WAIT_MS : LATE_ANSWER_MS;
  return takenAt - sentAt - (queuedMs ?? 0) > (isFirst ? Math.max(limitMs, LATE_FIRST_ANSWER_MS) : limitMs);
}

/**
 * The frames of the code that ran before the answer; none where it has left the stack. V8 answers after a native call at
 * the entry of the next function: that function has not run yet.
 */
function framesBefore(frames: readonly Frame[], isLate: boolean): readonly Frame[] {
  const [top] = frames;
  if (top === undefined || showsOnlyScheduler(frames)) return [];
  if (!isLate || !(isOwn(top) || standsAtEntry(top))) return frames;
  const callers = frames.slice(1);
  const hasApplication = kindsOf(callers).some((kind) => kind === 'application' || kind === 'dependency');
  return hasApplication ? callers : [];
}

/** The innermost function of the application, else of a dependency, of telemetry, of Node. */
function innermostFunction(frames: readonly Frame[]): Frame | undefined {
  const kinds = kindsOf(frames);
  for (const kind of KINDS_IN_ORDER) {
    const named = nameableFrames(frames, kinds, kind);
    const frame = kind === 'internal' ? (named.find((of) => !isScheduler(of)) ?? named[0]) : named[0];
    if (frame !== undefined) return isOwn(frame) ? ownWork(frame) : frame;
  }
  return undefined;
}

/** Own work is one culprit: the user need not know the functions of this package. */
function ownWork(frame: Frame): Frame {
  return { ...frame, functionName: OWN_WORK, functionLineNumber: 0, functionColumnNumber: 0 };
}

function foldStack(frames: readonly Frame[]): string {
  let folded = '';
  for (const frame of frames) {
    const name = nameInProfile(frame);
    if (folded.length + name.length >= MAX_STACK_LENGTH) break;
    folded = folded === '' ? name : `${name};${folded}`;
  }
  return folded;
}
