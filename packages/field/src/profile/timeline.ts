/** A frame of V8's profile. */
export interface Frame {
  readonly functionName: string;
  /** Path, `file:` URL, `node:` URL or name of a script. */
  readonly url: string;
  /** From 1: where the function starts. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/**
 * What the thread did at a sample: `javascript` has a stack, also within native calls and synchronous waits; `gc` has
 * none, V8 does not walk the stack then; `idle` waits for events; `program` is native code without JavaScript below it.
 */
export type Activity = 'javascript' | 'gc' | 'idle' | 'program';

export interface Sample {
  /** Epoch, ms. */
  readonly startMs: number;
  readonly endMs: number;
  readonly activity: Activity;
  /** Root first, without V8's artificial root. A `gc` sample has the stack of its neighbour. */
  readonly stack: readonly Frame[];
}

/** V8's CPU profile of one thread, on the epoch's clock. */
export interface Timeline {
  readonly pid: number;
  readonly threadId: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly samples: readonly Sample[];
  /** When the loop started: no event waits before it. Absent: not known. Epoch, ms. */
  readonly loopStartMs?: number;
  /** The ends of the loop's first iterations. Epoch, ms. */
  readonly iterationEndsMs?: readonly number[];
}

/** The profile of a thread as V8 recorded it. */
export interface ProfileRecord {
  readonly pid: number;
  readonly threadId: number;
  readonly timeOriginMs: number;
  /** The monotonic clock of the profile at `timeOriginMs`. */
  readonly monotonicOriginMs: number;
  readonly profile: CpuProfile;
  /** ms after the time origin. */
  readonly loopStartMs?: number;
  /** µs of the monotonic clock. */
  readonly iterationEnds?: readonly number[];
}

/** Times in µs of the monotonic clock. */
export interface CpuProfile {
  readonly startTime: number;
  readonly endTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
  readonly nodes: readonly ProfileNode[];
}

/** A function in its callers. The root has no parent; a parent stands before its children. */
export interface ProfileNode {
  readonly id: number;
  readonly parent?: number;
  /** With lines and columns from 0. */
  readonly callFrame: Frame;
}

const ACTIVITIES: Readonly<Record<string, Activity>> = {
  '(garbage collector)': 'gc',
  '(idle)': 'idle',
  '(program)': 'program',
  '(root)': 'program',
};

const MAX_IDLE_SAMPLE_MS = 20;

export function timelineOf(record: ProfileRecord): Timeline {
  const { pid, threadId, profile, loopStartMs, iterationEnds } = record;
  const epochMs = (microseconds: number): number =>
    record.timeOriginMs + microseconds / 1000 - record.monotonicOriginMs;
  const endMs = epochMs(profile.endTime);
  return {
    pid,
    threadId,
    startMs: epochMs(profile.startTime),
    endMs,
    samples: withStacksOfGc(samplesOf(profile, epochMs, endMs)),
    ...(loopStartMs !== undefined && { loopStartMs: record.timeOriginMs + loopStartMs }),
    ...(iterationEnds && { iterationEndsMs: iterationEnds.map(epochMs) }),
  };
}

function samplesOf(profile: CpuProfile, epochMs: (microseconds: number) => number, endMs: number): Sample[] {
  const stacks = stacksByNode(profile.nodes);
  const startsMs: number[] = [];
  let microseconds = profile.startTime;
  for (const delta of profile.timeDeltas) {
    microseconds += delta;
    startsMs.push(epochMs(microseconds));
  }
  // V8 may store samples out of order by a few microseconds.
  return profile.samples.flatMap((node, index) => {
    const { activity, stack } = stacks.get(node)!;
    const startMs = startsMs[index]!;
    return withoutStarvation({ startMs, endMs: Math.max(startMs, startsMs[index + 1] ?? endMs), activity, stack });
  });
}

/**
 * A thread that waits for events is sampled as often as one that computes, but one that waits for a CPU is not. So a
 * thread is idle for a bounded time after the sample that says so; what it did then is not known.
 */
function withoutStarvation(sample: Sample): Sample[] {
  const knownToMs = sample.startMs + MAX_IDLE_SAMPLE_MS;
  if (sample.activity !== 'idle' || sample.endMs <= knownToMs) return [sample];
  return [
    { ...sample, endMs: knownToMs },
    { ...sample, startMs: knownToMs, activity: 'program' },
  ];
}

type NodeStack = Pick<Sample, 'activity' | 'stack'>;

function stacksByNode(nodes: readonly ProfileNode[]): Map<number, NodeStack> {
  const stacks = new Map<number, NodeStack>();
  for (const { id, parent, callFrame } of nodes) {
    const { functionName, url, lineNumber, columnNumber } = callFrame;
    const activity = url === '' ? ACTIVITIES[functionName] : undefined;
    const below = parent === undefined ? [] : stacks.get(parent)!.stack;
    const frame = { functionName, url, lineNumber: lineNumber + 1, columnNumber: columnNumber + 1 };
    const stack = activity === undefined ? [...below, frame] : below;
    stacks.set(id, { activity: activity ?? 'javascript', stack });
  }
  return stacks;
}

/** Garbage collection belongs to the code that allocates: the code before it, else the code after it. */
function withStacksOfGc(samples: readonly Sample[]): Sample[] {
  const forward = fillStacks(samples);
  return fillStacks(forward.reverse()).reverse();
}

function fillStacks(samples: readonly Sample[]): Sample[] {
  let stack: readonly Frame[] = [];
  return samples.map((sample) => {
    if (sample.activity === 'gc' && sample.stack.length === 0) return { ...sample, stack };
    stack = sample.stack;
    return sample;
  });
}
