import { setTimeout as sleep } from 'node:timers/promises';

import type { DumpFrame, ThreadDump, ThreadState } from '../../model/dump.js';
import { NoAnswer } from './inspector-client.js';
import type { Snapshot } from './snapshot.js';

export interface ThreadAccess {
  /** Asks the thread once; undefined when its answer cannot be used. Rejects with `NoAnswer` without an answer. */
  ask(): Promise<Snapshot | undefined>;
  /** CPU time of the thread so far, in ms; `tid` comes from its own snapshot. */
  cpuMs(tid: number | undefined): number | undefined;
  readonly threadId: number;
  readonly threadName: string;
}

/** How long a thread is looked at, ms. */
const LOOK_MS = 200;
const LOOK_AGAIN_MS = 40;
/** A thread without a stack that uses the CPU is between two callbacks or microtasks: it is asked again and again. */
const EMPTY_AGAIN_MS = 3;
const EMPTY_LIMIT_MS = 1500;
/** Share of the CPU from which a thread without a stack does not count as idle. */
const BUSY_SHARE = 0.5;

/** Looks at a thread several times, to tell what it does from what it happened to do. */
export async function lookAtThread(access: ThreadAccess): Promise<ThreadDump> {
  const startedAt = performance.now();
  const snapshots: { readonly at: number; readonly snapshot: Snapshot }[] = [];
  let cpuStart: number | undefined;
  let cpuShare: number | undefined;
  try {
    for (;;) {
      const snapshot = await access.ask();
      const at = performance.now();
      if (snapshot) snapshots.push({ at, snapshot });
      const tid = snapshots[0]?.snapshot.tid;
      const cpuMs = access.cpuMs(tid);
      cpuStart ??= cpuMs;
      const elapsedMs = at - (snapshots[0]?.at ?? at);
      if (cpuMs !== undefined && cpuStart !== undefined && elapsedMs > 0)
        cpuShare = Math.min(1, (cpuMs - cpuStart) / elapsedMs);
      const hasStack = snapshots.some((taken) => taken.snapshot.frames.length > 0);
      const isBusy = (cpuShare ?? 0) > BUSY_SHARE;
      if (elapsedMs >= LOOK_MS && (hasStack || !isBusy)) break;
      if (at - startedAt > EMPTY_LIMIT_MS) break;
      await sleep(hasStack || !isBusy ? LOOK_AGAIN_MS : EMPTY_AGAIN_MS);
    }
  } catch (error) {
    if (!(error instanceof NoAnswer) || snapshots.length === 0) throw error;
  }
  const best = bestOf(snapshots.map(({ snapshot }) => snapshot));
  const stack = best?.frames ?? [];
  const state = stateOf(stack, cpuShare);
  return {
    threadId: access.threadId,
    threadName: best?.threadName || access.threadName,
    state,
    stack,
    ...(best?.request && { request: best.request }),
    ...(best?.atMostMs !== undefined && { atMostMs: best.atMostMs }),
    atLeastMs: state === 'idle' ? 0 : timeInOneIteration(snapshots),
    ...(cpuShare !== undefined && { cpuShare }),
  };
}

/** The first stack with a function of the application, else the first stack. */
function bestOf(snapshots: readonly Snapshot[]): Snapshot | undefined {
  return (
    snapshots.find(({ frames }) => frames.some(isOfApplication)) ??
    snapshots.find(({ frames }) => frames.length > 0) ??
    snapshots.at(-1)
  );
}

export function isOfApplication({ filePath }: DumpFrame): boolean {
  return filePath !== '' && !/^(node:|wasm:|<anonymous>)|[\\/]node_modules[\\/]/.test(filePath);
}

function stateOf(stack: readonly DumpFrame[], cpuShare: number | undefined): ThreadState {
  if (stack[0]?.functionName === 'Atomics.wait') return 'waiting';
  return stack.length > 0 || (cpuShare ?? 0) > BUSY_SHARE ? 'running' : 'idle';
}

/** How long the thread has stayed in the iteration of its loop in which it was seen first. */
function timeInOneIteration(snapshots: readonly { readonly at: number; readonly snapshot: Snapshot }[]): number {
  const [first] = snapshots;
  if (!first) return 0;
  const isSame = ({ loopCount, idleMs }: Snapshot): boolean =>
    loopCount === first.snapshot.loopCount && idleMs === first.snapshot.idleMs;
  const last = snapshots.filter(({ snapshot }) => isSame(snapshot)).at(-1);
  return (last?.at ?? first.at) - first.at;
}
