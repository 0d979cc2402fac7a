import { setTimeout as sleep } from 'node:timers/promises';

import {
  type DumpFrame,
  isOfApplication,
  isOfNode,
  type ThreadDump,
  type ThreadState,
} from '../../../model/processes/dump.js';
import { NoAnswer } from './inspector-client.js';
import type { Snapshot } from './snapshot.js';

export interface ThreadAccess {
  /** Asks the thread once; undefined when its answer cannot be used. Rejects with `NoAnswer` without an answer. */
  ask(): Promise<Snapshot | undefined>;
  /** CPU time of the thread so far, in ms; `tid` comes from its own snapshot. */
  cpuMs(tid: number | undefined): number | undefined;
  /** Whether the thread is on a CPU or ready to run at this moment; undefined where that is not known. */
  isReady(tid: number | undefined): boolean | undefined;
  readonly threadId: number;
  readonly threadName: string;
}

/** How long a thread is looked at, ms. */
const LOOK_MS = 200;
const LOOK_AGAIN_MS = 40;
/**
 * A busy thread without a stack, or with functions of Node.js alone, is between two callbacks or microtasks: it is asked
 * again and again, until it has used so much CPU time. On a busy machine that takes longer than on a quiet one.
 */
const EMPTY_AGAIN_MS = 3;
const EMPTY_LIMIT_CPU_MS = 1500;
const EMPTY_LIMIT_MS = 10_000;
/** Share of the CPU from which a thread without a stack does not count as idle. */
const BUSY_SHARE = 0.5;

/** A thread has answered, each time with an exception. */
class UnusableAnswers extends Error {
  constructor(threadName: string) {
    super(
      `Expected the thread ${threadName} to answer with its stack, got exceptions: its stack is full, or the program has ` +
        'replaced built-in functions of JavaScript.',
    );
  }
}

/** Looks at a thread several times, to tell what it does from what it happened to do. */
export async function lookAtThread(access: ThreadAccess): Promise<ThreadDump> {
  const startedAt = performance.now();
  const snapshots: Taken[] = [];
  let cpuStart: number | undefined;
  let cpuShare: number | undefined;
  let isReady: boolean | undefined;
  try {
    for (;;) {
      // Before the question, which wakes a thread that sleeps.
      const isReadyNow = snapshots.length === 0 ? undefined : access.isReady(snapshots[0]?.snapshot.tid);
      if (isReadyNow !== undefined) isReady = isReady === true || isReadyNow;
      const snapshot = await access.ask();
      const at = performance.now();
      if (snapshot) snapshots.push({ at, snapshot });
      const tid = snapshots[0]?.snapshot.tid;
      const cpuMs = access.cpuMs(tid);
      cpuStart ??= cpuMs;
      const elapsedMs = at - (snapshots[0]?.at ?? at);
      if (cpuMs !== undefined && cpuStart !== undefined && elapsedMs > 0)
        cpuShare = Math.min(1, (cpuMs - cpuStart) / elapsedMs);
      const isKnown = snapshots.some((taken) => taken.snapshot.frames.some(isOfProgram));
      const isBusy = (cpuShare ?? 0) > BUSY_SHARE || isInOneIteration(snapshots);
      if (elapsedMs >= LOOK_MS && (isKnown || !isBusy)) break;
      const usedMs = cpuMs === undefined || cpuStart === undefined ? at - startedAt : cpuMs - cpuStart;
      if (usedMs > EMPTY_LIMIT_CPU_MS || at - startedAt > EMPTY_LIMIT_MS) break;
      await sleep(isKnown || !isBusy ? LOOK_AGAIN_MS : EMPTY_AGAIN_MS);
    }
  } catch (error) {
    if (!(error instanceof NoAnswer) || snapshots.length === 0) throw error;
  }
  const shown = bestOf(snapshots);
  if (!shown) throw new UnusableAnswers(access.threadName);
  const best = shown.snapshot;
  const stack = best.frames;
  const atMostMs = timeAtMost(shown, snapshots);
  const state = stateOf(stack, (cpuShare ?? 0) > BUSY_SHARE || isInOneIteration(snapshots));
  return {
    threadId: access.threadId,
    threadName: nameOf(best, access),
    state,
    stack,
    ...(best.request && { request: best.request }),
    ...(atMostMs !== undefined && { atMostMs }),
    ...(best.timerCallback !== undefined && { timerCallback: best.timerCallback }),
    // What ran in the same iteration before that callback is no time of it.
    atLeastMs: state === 'idle' ? 0 : Math.min(timeInOneIteration(shown, snapshots), atMostMs ?? Infinity),
    ...(cpuShare !== undefined && { cpuShare }),
    ...(isReady !== undefined && { isReady }),
  };
}

/** Node.js calls a worker thread by the second name where the program does not. */
function nameOf({ threadName = '' }: Snapshot, access: ThreadAccess): string {
  return threadName === '' || threadName === 'WorkerThread' ? access.threadName : threadName;
}

/** The first stack with a function of the application, else the first stack. */
function bestOf(snapshots: readonly Taken[]): Taken | undefined {
  return (
    snapshots.find(({ snapshot }) => snapshot.frames.some(isOfApplication)) ??
    snapshots.find(({ snapshot }) => snapshot.frames.length > 0) ??
    snapshots.at(-1)
  );
}

/** Code of the application or of a package. */
function isOfProgram(frame: DumpFrame): boolean {
  return !isOfNode(frame);
}

function stateOf(stack: readonly DumpFrame[], isBusy: boolean): ThreadState {
  if (stack[0]?.functionName === 'Atomics.wait') return 'waiting';
  return stack.length > 0 || isBusy ? 'running' : 'idle';
}

interface Taken {
  readonly at: number;
  readonly snapshot: Snapshot;
}

/**
 * Whether the event loop has neither iterated nor waited for events since the first snapshot. The share of the CPU does
 * not show that on a busy machine. A loop that waits for events iterates for each snapshot.
 */
function isInOneIteration(snapshots: readonly Taken[]): boolean {
  const [first] = snapshots;
  return snapshots.length > 1 && first !== undefined && lastInIteration(first, snapshots) === snapshots.at(-1);
}

/** How long the thread was seen in the iteration of its loop in which this snapshot was taken. */
function timeInOneIteration(taken: Taken, snapshots: readonly Taken[]): number {
  const first = snapshots.find((other) => isSameIteration(taken, other)) ?? taken;
  return lastInIteration(taken, snapshots).at - first.at;
}

/** The callback that the snapshot shows may have gone on as long as the thread was seen in that iteration. */
function timeAtMost(taken: Taken, snapshots: readonly Taken[]): number | undefined {
  const { atMostMs } = taken.snapshot;
  return atMostMs === undefined ? undefined : atMostMs + lastInIteration(taken, snapshots).at - taken.at;
}

function lastInIteration(taken: Taken, snapshots: readonly Taken[]): Taken {
  return snapshots.findLast((other) => isSameIteration(taken, other)) ?? taken;
}

function isSameIteration({ snapshot }: Taken, { snapshot: other }: Taken): boolean {
  return snapshot.loopCount === other.loopCount && snapshot.idleMs === other.idleMs;
}
