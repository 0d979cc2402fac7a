import { nameOwnWork, OWN_WORK } from '../blocks/attribute.js';
import { nameableFrame } from '../blocks/nameable-frames.js';
import { nameInProfile } from '../blocks/profile.js';
import { isLateAnswer } from '../blocks/late-answers.js';
import { framesOf, hasApplication, isBetweenCallbacks, isOwnCallback, isScheduler } from '../blocks/visible.js';
import { functionKey, isOwn, kindsOf } from '../contract/frames.js';
import { jobNameOf } from './job-name.js';
import type { BusyAnswer, BusyCount } from '../contract/busy-time-data.js';
import type { Interval } from '../contract/interval.js';
import type { Frame } from '../contract/model.js';

/** Longest folded stack, in characters. The outermost functions are left out first. */
const MAX_STACK_LENGTH = 8192;

const KINDS_IN_ORDER = ['application', 'dependency', 'telemetry', 'internal'] as const;

export interface CountContext {
  /** Busy periods of the threshold or longer. */
  readonly longPeriods: readonly Interval[];
  /** Times that do not count, such as that at a breakpoint. */
  readonly excluded: readonly Interval[];
  /** The share of the busy time in which this package worked, 0 to 1. */
  readonly ownWorkShare: number;
  /** Maps frames of generated code to their source. */
  readonly mapStack: (stack: readonly Frame[]) => readonly Frame[];
}

/** Counts the arrivals of equal answers: of the same function, stack and context, within blocks and outside of them. */
export function countAnswers(answers: readonly BusyAnswer[], context: CountContext): BusyCount[] {
  const counts: Counted[] = [];
  const own = { answers: 0, hooksMs: 0 };
  const byStack = new Map<string, Counted[]>();
  for (const answer of answers) {
    if (context.excluded.some((interval) => isWithin(answer.takenAt, interval))) continue;
    if (isOwnCallback(answer.frames)) {
      if (hasApplication(kindsOf(answer.frames))) own.hooksMs += answer.weightMs;
      else {
        own.answers += answer.arrivals;
        continue;
      }
    }
    const isLate = isLateAnswer(answer);
    // Between two callbacks, nothing is known of what ran.
    const frames = isBetweenCallbacks(answer.frames) ? [] : context.mapStack(framesOf(answer.frames, isLate));
    const isKnown = frames.length > 0;
    const culprit = isKnown ? innermostFunction(frames) : undefined;
    const seen = {
      // Where the code has left the stack, the context is that of what ran next.
      context: isKnown || !isLate ? answer.context : undefined,
      culprit,
      job: isKnown ? jobNameOf(frames) : undefined,
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
      counted = { ...seen, answers: 0, weightMs: 0, lateAnswers: 0 };
      alike.push(counted);
      counts.push(counted);
    }
    counted.answers += answer.arrivals;
    counted.weightMs += answer.weightMs;
    if (isLate) counted.lateAnswers += answer.arrivals;
  }
  return [...counts, ...ownWork(counts, own, context.ownWorkShare)];
}

/**
 * Work of this package is measured: an answer in it would often stand for what ran right before. Its share is that of the
 * time, without the hooks of the application that it has called.
 */
function ownWork(
  counts: readonly BusyCount[],
  { answers, hooksMs }: { readonly answers: number; readonly hooksMs: number },
  share: number,
): BusyCount[] {
  const othersMs = counts.reduce((sum, { weightMs }) => sum + weightMs, 0);
  const weightMs = share < 1 ? (othersMs * share) / (1 - share) - hooksMs : 0;
  if (!(weightMs > 0)) return [];
  const unseen = { context: undefined, job: undefined, isInBlock: false, lateAnswers: 0 };
  return [{ ...unseen, culprit: OWN_WORK, stack: OWN_WORK.functionName, answers, weightMs }];
}

type Counted = { -readonly [Key in keyof BusyCount]: BusyCount[Key] };

function isWithin(time: number, { start, end }: Interval): boolean {
  return time >= start && time <= end;
}

/** The innermost function of the application, else of a dependency, of telemetry, of Node. */
function innermostFunction(frames: readonly Frame[]): Frame | undefined {
  const kinds = kindsOf(frames);
  for (const kind of KINDS_IN_ORDER) {
    const index = frames.findIndex((frame, i) => kinds[i] === kind && !isScheduler(frame));
    if (index < 0) continue;
    const { frame } = nameableFrame({ frames, source: frames, kinds }, index);
    return nameOwnWork(frame, isOwn(frame));
  }
  return undefined;
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
