import { trace, type Context } from '@opentelemetry/api';

import type { BusyPeriod } from '../../../src/blocks/busy-period.js';
import type { JudgeContext } from '../../../src/blocks/judge.js';
import type { Interval } from '../../../src/contract/interval.js';
import type { Block, Frame, Reading, Sample } from '../../../src/contract/model.js';
import type { PlainContext, PlainFrame, PlainInterval, PlainReading, Recorded } from './recorded.js';

/** What was recorded of one busy period, with the objects of the process. */
export interface Captured {
  readonly end: Recorded['end'];
  readonly period: BusyPeriod;
  readonly isWorker: boolean;
  readonly context: JudgeContext;
  readonly excluded: readonly Interval[];
  readonly sleeps: readonly Interval[];
  readonly said: readonly Block[];
  /** Of each context: what was known of it when the period was judged. */
  readonly infos: ReadonlyMap<unknown, ReturnType<JudgeContext['infoOf']>>;
}

/** Numbers for objects of this process: the same number for the same object. */
const numbers = new Map<unknown, number>();

function numberOf(key: unknown): number {
  let number = numbers.get(key);
  if (number === undefined) numbers.set(key, (number = numbers.size + 1));
  return number;
}

/** What was known of all contexts of a period at this moment. */
export function infosOf(period: BusyPeriod, { infoOf }: JudgeContext): Captured['infos'] {
  const contexts = new Set([...period.samples, ...period.endings].map(({ context }) => context));
  contexts.delete(undefined);
  return new Map([...contexts].map((context) => [context, infoOf(context)]));
}

export function toPlain({ period, context, infos, said, ...captured }: Captured): Recorded {
  const from = period.start;
  const at = (time: number): number => micro(time - from);
  const interval = ({ start, end }: Interval): PlainInterval => ({ start: at(start), end: at(end) });
  const first = Math.min(from, period.before?.at ?? from);
  const last = Math.max(period.end, period.after.at);
  const near = (intervals: readonly Interval[]): PlainInterval[] =>
    intervals.filter(({ start, end }) => end >= first && start <= last).map(interval);

  const frames = new Table<Frame>();
  const contexts = new Table<unknown>();
  const stacks = [...new Set(period.samples.map((sample) => sample.frames))];
  const contextOf = (value: unknown): number | undefined => (value === undefined ? undefined : contexts.add(value));
  const samples = period.samples.map((sample: Sample) => ({
    ...sample,
    requestedAt: at(sample.requestedAt),
    sentAt: sample.sentAt === undefined ? undefined : at(sample.sentAt),
    sentRunQueueMs: micro(sample.sentRunQueueMs),
    takenAt: at(sample.takenAt),
    frames: sample.frames.map((frame) => frames.add(frame)),
    context: contextOf(sample.context),
    threadTimes: rounded(sample.threadTimes),
  }));
  const endings = period.endings.map((ending) => ({
    at: at(ending.at),
    context: contextOf(ending.context),
    asyncId: ending.asyncId,
    trackedSpan: numberOf(ending.trackedSpan),
  }));
  const reading = (value: Reading): PlainReading => ({
    at: at(value.at),
    idleTime: micro(value.idleTime),
    times: rounded(value.times),
  });
  return {
    type: 'period',
    startNowMs: micro(from),
    end: captured.end,
    frames: frames.values.map(plainFrame),
    mapped: mappedFrames(stacks, frames, context),
    contexts: contexts.values.map((value) => plainContext(value, infos, at)),
    period: {
      end: at(period.end),
      startUp: period.startUp,
      mayHaveLostIdle: period.mayHaveLostIdle,
      lostIdleMs: micro(period.lostIdleMs),
      hasHang: period.hang !== undefined,
      looks: period.looks,
      before: period.before && reading(period.before),
      after: reading(period.after),
      samples,
      endings,
    },
    given: {
      thresholdMs: context.thresholdMs,
      isWorker: captured.isWorker,
      threadId: context.threadId,
      threadName: context.threadName,
      suspensions: near(context.excluded),
      excluded: near(captured.excluded),
      sleeps: near(captured.sleeps),
      ownWork: near(context.ownWork),
      sdkStart: context.sdkStart && interval(context.sdkStart),
      gcObservedSince: context.gc.observedSince === undefined ? undefined : at(context.gc.observedSince),
      gcPauses: near(context.gc.pauses),
      isSampled: context.isSampled,
      countsStartUp: context.countsStartUp,
    },
    said: said.map(({ start, end, durationMs, times, attribution }) => ({
      start: at(start),
      end: at(end),
      durationMs: micro(durationMs),
      cause: attribution.cause,
      quality: attribution.quality,
      culprit: attribution.culprit && plainFrame(attribution.culprit),
      cpuMs: micro(times.cpuMs),
      runQueueMs: micro(times.runQueueMs),
      gcMs: micro(times.gcMs),
      asyncResource: attribution.asyncResource,
      mainContext: contexts.placeOf(attribution.mainContext),
    })),
  };
}

/** The frames for which a source map says something else. */
function mappedFrames(
  stacks: readonly (readonly Frame[])[],
  frames: Table<Frame>,
  { mapStack }: JudgeContext,
): Recorded['mapped'] {
  const found = new Map<string, readonly [number, number, PlainFrame]>();
  const add = (frame: Frame, caller: Frame | undefined, mapped: Frame): void => {
    const isSame =
      mapped.lineNumber === frame.lineNumber &&
      mapped.columnNumber === frame.columnNumber &&
      mapped.functionName === frame.functionName &&
      frame.fileName.endsWith(mapped.fileName);
    if (isSame) return;
    const entry = [frames.add(frame), caller === undefined ? -1 : frames.add(caller), plainFrame(mapped)] as const;
    found.set(`${entry[0]} ${entry[1]}`, entry);
  };
  for (const frame of [...frames.values]) add(frame, undefined, mapStack([frame])[0]!);
  for (const stack of stacks) {
    mapStack(stack).forEach((mapped, i) => {
      add(stack[i]!, stack[i + 1], mapped);
    });
  }
  return [...found.values()];
}

function plainContext(context: unknown, infos: Captured['infos'], at: (time: number) => number): PlainContext {
  const info = infos.get(context)!;
  const span = trace.getSpan(context as Context) as { readonly name?: string } | undefined;
  return {
    request: info.request === undefined ? undefined : numberOf(info.request),
    span: info.span,
    startedAt: info.startedAt === undefined ? undefined : at(info.startedAt),
    endedAt: info.endedAt === undefined ? undefined : at(info.endedAt),
    isOfSdk: info.isOfSdk,
    name: span?.name,
  };
}

function plainFrame(frame: Frame): PlainFrame {
  return { ...frame };
}

function rounded<T extends object>(times: T | undefined): T | undefined {
  if (times === undefined) return undefined;
  return Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, micro(ms as number)])) as T;
}

/** Whole microseconds: the clocks know no more. */
function micro<T extends number | undefined>(ms: T): T {
  return (ms === undefined ? undefined : Math.round(ms * 1000) / 1000) as T;
}

class Table<T> {
  readonly values: T[] = [];
  readonly #places = new Map<T, number>();

  add(value: T): number {
    let place = this.#places.get(value);
    if (place === undefined) {
      place = this.values.push(value) - 1;
      this.#places.set(value, place);
    }
    return place;
  }

  placeOf(value: T): number | undefined {
    return this.#places.get(value);
  }
}
