import type { CpuProfile, ProfileNode, ProfileRecord } from './timeline.ts';

/** The part of a trace event that is read. */
interface TraceEvent {
  readonly pid: number;
  /** Id of the operating system. A part of a profile has that of V8's sampler, not of the thread. */
  readonly tid: number;
  readonly name: string;
  /** µs of the monotonic clock. */
  readonly ts?: number;
  readonly id?: string;
  readonly args?: { readonly data?: ProfilePart };
}

interface ProfilePart {
  /** In the first part. Time stamps in µs of the monotonic clock. */
  readonly startTime?: number;
  /** In the last part. */
  readonly endTime?: number;
  readonly cpuProfile?: { readonly nodes?: readonly TraceNode[]; readonly samples?: readonly number[] };
  readonly timeDeltas?: readonly number[];
}

interface TraceNode {
  readonly id: number;
  readonly parent?: number;
  readonly callFrame: Partial<ProfileNode['callFrame']>;
}

const PROFILE_EVENTS = new Set(['Profile', 'ProfileChunk']);
/** What profiler/preload.cjs writes as the label of a timer. */
const THREAD = /^time::loopwatch-field (\d+) ([\d.]+) ([\d.]+)$/;
/** The same at the end of an iteration, with the start of the loop, ms after the time origin, or -1. */
const ITERATION = /^time::loopwatch-field-iteration \d+ (-1|[\d.]+)$/;

/** The profiles of a process's threads, from the file with its trace events. */
export function profilesOfTrace(text: string): ProfileRecord[] {
  const events = eventsOf(text);
  return events.flatMap(({ name, pid, tid }) => {
    const [, threadId, timeOriginMs, monotonicOriginMs] = (THREAD.exec(name) ?? []).map(Number);
    if (threadId === undefined || timeOriginMs === undefined || monotonicOriginMs === undefined) return [];
    const first = events.find((event) => event.name === 'Profile' && event.tid === tid);
    if (first === undefined) return [];
    const ofThread = events.filter((event) => event.tid === tid);
    const profile = profileOf(events, first.id);
    return [{ pid, threadId, timeOriginMs, monotonicOriginMs, profile, ...iterationsOf(ofThread) }];
  });
}

function iterationsOf(events: readonly TraceEvent[]): Pick<ProfileRecord, 'iterationEnds' | 'loopStartMs'> {
  const marks = events.flatMap(({ name, ts }) => {
    const loopStartMs = ITERATION.exec(name)?.[1];
    return loopStartMs === undefined || ts === undefined ? [] : [{ ts, loopStartMs: Number(loopStartMs) }];
  });
  const loopStartMs = marks[0]?.loopStartMs ?? -1;
  return { iterationEnds: marks.map(({ ts }) => ts), ...(loopStartMs >= 0 && { loopStartMs }) };
}

/** A process that was killed has not written the end of its file. */
function eventsOf(text: string): TraceEvent[] {
  const lastEvent = text.lastIndexOf(',{"pid":');
  for (const whole of [text, `${text}]}`, `${text.slice(0, lastEvent)}]}`]) {
    try {
      return (JSON.parse(whole) as { traceEvents: TraceEvent[] }).traceEvents;
    } catch {
      // Not whole: the next one.
    }
  }
  return [];
}

function profileOf(events: readonly TraceEvent[], id: string | undefined): CpuProfile {
  const parts = events.filter((event) => event.id === id && PROFILE_EVENTS.has(event.name)).map(dataOf);
  const startTime = parts.find((part) => part.startTime !== undefined)?.startTime ?? 0;
  const timeDeltas = parts.flatMap((part) => part.timeDeltas ?? []);
  return {
    startTime,
    endTime: parts.findLast(({ endTime }) => endTime !== undefined)?.endTime ?? timeDeltas.reduce(add, startTime),
    samples: parts.flatMap(({ cpuProfile }) => cpuProfile?.samples ?? []),
    timeDeltas,
    nodes: parts.flatMap(({ cpuProfile }) => cpuProfile?.nodes ?? []).map(nodeOf),
  };
}

function dataOf({ args }: TraceEvent): ProfilePart {
  return args?.data ?? {};
}

function nodeOf({ callFrame, ...node }: TraceNode): ProfileNode {
  const { functionName = '', url = '', lineNumber = 0, columnNumber = 0 } = callFrame;
  return { ...node, callFrame: { functionName, url, lineNumber, columnNumber } };
}

function add(a: number, b: number): number {
  return a + b;
}
