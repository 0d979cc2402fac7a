import { PendingBlocks } from '../../src/monitor/pending-blocks.js';
import type { BusyPeriod } from '../../src/blocks/busy-period.js';
import type { JudgeContext } from '../../src/blocks/judge.js';
import { withCutCallers } from '../../src/probe/cut-stacks.js';
import type { ContextInfo } from '../../src/contract/context-reader.js';
import type { Block, Frame, Sample } from '../../src/contract/model.js';
import type { PlainContext, PlainVerdict, Recorded } from './recorder/recorded.ts';

/** The judgement's input, as the judgement takes it. */
export interface Replayable {
  readonly period: BusyPeriod;
  readonly context: JudgeContext;
  readonly contexts: readonly object[];
}

/** What the judgement says of a recorded period now: its blocks, in order of time. */
export function replay(recorded: Recorded): PlainVerdict[] {
  const { period, context, contexts } = replayable(recorded);
  const { given } = recorded;
  const pending = new PendingBlocks(given.isWorker);
  for (const interval of given.excluded) pending.exclude(interval);
  for (const sleep of given.sleeps) pending.addSleep(sleep);
  return blocksOf(recorded, pending, period, context).map((block) => verdictOf(block, contexts));
}

function blocksOf({ end }: Recorded, pending: PendingBlocks, period: BusyPeriod, context: JudgeContext): Block[] {
  if (end === 'last') return pending.last(period, context);
  pending.add(period, period.end);
  return pending.judgeDue(Infinity, context);
}

export function replayable(recorded: Recorded): Replayable {
  let made = replayables.get(recorded);
  if (made === undefined) replayables.set(recorded, (made = makeReplayable(recorded)));
  return made;
}

/** Kept, because the ablation replays each record hundreds of times. */
const replayables = new WeakMap<Recorded, Replayable>();

function makeReplayable(recorded: Recorded): Replayable {
  const { period, given, frames } = recorded;
  const contexts = recorded.contexts.map((context) => ({ info: infoOf(context) }));
  const contextAt = (place: number | undefined): object | undefined =>
    place === undefined ? undefined : contexts[place];
  const stacks = new Map<string, readonly Frame[]>();
  const stackOf = (places: readonly number[]): readonly Frame[] => {
    const key = places.join();
    const known = stacks.get(key);
    if (known !== undefined) return known;
    const stack = places.map((place) => frames[place]!);
    stacks.set(key, stack);
    return stack;
  };
  const samples = period.samples.map((sample): Sample => ({
    requestedAt: sample.requestedAt,
    sentAt: sample.sentAt,
    sentRunQueueMs: sample.sentRunQueueMs,
    takenAt: sample.takenAt,
    passedCheckpoint: sample.passedCheckpoint,
    isFirst: sample.isFirst,
    frames: stackOf(sample.frames),
    context: contextAt(sample.context),
    asyncResource: sample.asyncResource,
    asyncId: sample.asyncId,
    pending: sample.pending,
    threadTimes: sample.threadTimes && { ...sample.threadTimes, runQueueMs: sample.threadTimes.runQueueMs },
    inspected: sample.inspected,
  }));
  const reading = (value: NonNullable<Recorded['period']['before']>): BusyPeriod['after'] => ({
    ...value,
    times: value.times && { ...value.times, runQueueMs: value.times.runQueueMs },
  });
  return {
    contexts,
    period: {
      hang: period.hasHang ? { traceId: '', spanId: '' } : undefined,
      start: 0,
      end: period.end,
      startUp: period.startUp,
      mayHaveLostIdle: period.mayHaveLostIdle,
      ...(period.lostIdleMs !== undefined && { lostIdleMs: period.lostIdleMs }),
      looks: period.looks,
      samples: withCutCallers(samples),
      endings: period.endings.map((ending) => ({
        at: ending.at,
        context: contextAt(ending.context),
        asyncId: ending.asyncId,
        trackedSpan: {},
      })),
      before: period.before && reading(period.before),
      after: reading(period.after),
    },
    context: {
      thresholdMs: given.thresholdMs,
      excluded: given.suspensions,
      standstills: given.suspensions,
      ownWork: given.ownWork,
      sdkStart: given.sdkStart,
      gc: { observedSince: given.gcObservedSince, pauses: given.gcPauses },
      isSampled: given.isSampled,
      countsStartUp: given.countsStartUp,
      threadId: given.threadId,
      threadName: given.threadName,
      infoOf: (context) => (context === undefined ? NO_SPAN : (context as { info: ContextInfo }).info),
      mapStack: mapStackOf(recorded),
    },
  };
}

const NO_SPAN: ContextInfo = { request: undefined, span: '', startedAt: undefined, endedAt: undefined, isOfSdk: false };

function infoOf({ request, span, startedAt, endedAt, isOfSdk }: PlainContext): ContextInfo {
  return { request, span, startedAt, endedAt, isOfSdk };
}

function mapStackOf({ frames, mapped }: Recorded): JudgeContext['mapStack'] {
  const byFrame = new Map<Frame, Map<Frame | undefined, Frame>>();
  for (const [place, caller, frame] of mapped) {
    const callers = byFrame.get(frames[place]!) ?? new Map<Frame | undefined, Frame>();
    byFrame.set(frames[place]!, callers.set(caller < 0 ? undefined : frames[caller], frame));
  }
  return (stack) =>
    stack.map((frame, i) => {
      const callers = byFrame.get(frame);
      return callers?.get(stack[i + 1]) ?? callers?.get(undefined) ?? withPath(frame);
    });
}

function withPath(frame: Frame): Frame {
  const { fileName } = frame;
  return fileName.startsWith('file://') ? { ...frame, fileName: fileName.slice('file://'.length) } : frame;
}

function verdictOf({ start, end, durationMs, times, attribution }: Block, contexts: readonly object[]): PlainVerdict {
  const { cause, quality, culprit, asyncResource, mainContext } = attribution;
  const place = contexts.indexOf(mainContext as object);
  return {
    start,
    end,
    durationMs,
    cause,
    quality,
    ...(culprit && { culprit }),
    ...(times.cpuMs !== undefined && { cpuMs: times.cpuMs }),
    ...(times.runQueueMs !== undefined && { runQueueMs: times.runQueueMs }),
    ...(times.gcMs !== undefined && { gcMs: times.gcMs }),
    asyncResource,
    ...(place >= 0 && { mainContext: place }),
  };
}
