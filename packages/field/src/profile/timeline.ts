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
  /** The thread wrote its profile from `endMs` until then. */
  readonly writtenAtMs: number;
  readonly samples: readonly Sample[];
}

/** What profiler/preload.cjs writes. */
export interface ProfileRecord {
  readonly pid: number;
  readonly threadId: number;
  readonly timeOriginMs: number;
  /** The monotonic clock of the profile at `timeOriginMs`. */
  readonly monotonicOriginMs: number;
  /** When the thread began to write the profile, since `timeOriginMs`. */
  readonly writingFromMs: number;
  /** When it was written. Epoch, ms. */
  readonly writtenAtMs: number;
  readonly profile: CpuProfile;
}

/** `Profiler.Profile` of the inspector; times in µs of the monotonic clock. */
export interface CpuProfile {
  readonly startTime: number;
  readonly endTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
  readonly nodes: readonly ProfileNode[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: Frame;
  readonly children?: readonly number[];
}

const ACTIVITIES: Readonly<Record<string, Activity>> = {
  '(garbage collector)': 'gc',
  '(idle)': 'idle',
  '(program)': 'program',
  '(root)': 'program',
};

export function timelineOf(record: ProfileRecord): Timeline {
  const { pid, threadId, profile } = record;
  const epochMs = (microseconds: number): number =>
    record.timeOriginMs + microseconds / 1000 - record.monotonicOriginMs;
  const endMs = Math.min(epochMs(profile.endTime), record.timeOriginMs + record.writingFromMs);
  return {
    pid,
    threadId,
    startMs: epochMs(profile.startTime),
    endMs,
    writtenAtMs: record.writtenAtMs,
    samples: withStacksOfGc(samplesOf(profile, epochMs, endMs)),
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
  return profile.samples.map((node, index) => {
    const { activity, stack } = stacks.get(node)!;
    const startMs = startsMs[index]!;
    return { startMs, endMs: Math.max(startMs, startsMs[index + 1] ?? endMs), activity, stack };
  });
}

type NodeStack = Pick<Sample, 'activity' | 'stack'>;

function stacksByNode(nodes: readonly ProfileNode[]): Map<number, NodeStack> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stacks = new Map<number, NodeStack>();
  const visit = (node: ProfileNode, parent: readonly Frame[]): void => {
    const { functionName, url, lineNumber, columnNumber } = node.callFrame;
    const activity = url === '' ? ACTIVITIES[functionName] : undefined;
    const frame = { functionName, url, lineNumber: lineNumber + 1, columnNumber: columnNumber + 1 };
    const stack = activity === undefined ? [...parent, frame] : parent;
    stacks.set(node.id, { activity: activity ?? 'javascript', stack });
    for (const child of node.children ?? []) visit(byId.get(child)!, stack);
  };
  if (nodes[0]) visit(nodes[0], []);
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
