import { setTimeout as sleep } from 'node:timers/promises';

import { Refusal } from '../../platform/refusal.js';
import { mayBeOpen } from '../process/checks.js';
import { nodeProcessesUnder, type ProcessInfo, readProcess } from '../process/processes.js';
import { type AttachedProcess, attachToProcess, type AttachToOptions } from './attach.js';

export interface AttachGroupOptions extends AttachToOptions {
  /** Ends the watch, also while processes are being attached. */
  readonly stop: Promise<unknown>;
  /** Called once all processes that ran at first are attached or refused: what it returns ends the watch, too. */
  readonly onAllAttached: () => Promise<unknown>;
  readonly onAttached: (attached: AttachedProcess) => Promise<void>;
  readonly onRefused: (info: ProcessInfo, reason: string) => void;
}

/** How often descendants that were born meanwhile are looked for, ms. */
const POLL_MS = 500;
/** A process that is younger than this, ms, may not have loaded its program yet. */
const BORN_MS = 300;
/** For how long an attempt that may succeed later is repeated, ms. */
const RETRY_MS = 10_000;

/**
 * Attaches to a process and all its descendants that are Node.js, and to those that are born later, until all of them
 * have ended. One after the other: all open their inspector on the same port.
 */
export async function attachToGroup(pid: number, options: AttachGroupOptions): Promise<void> {
  const { stop, onAllAttached, onAttached, onRefused } = options;
  const { connections } = options.channel;
  /** When each process was tried first; infinite when it is attached or refused. */
  const triedAt = new Map<string, number>();
  const ended = new AbortController();
  const end = (): void => {
    ended.abort();
  };
  void stop.then(end);
  const wasClosed = new Set(
    nodeProcessesUnder(pid)
      .filter((info) => !mayBeOpen(info))
      .map(keyOf),
  );
  let until = stop;
  let first: ReadonlySet<string> | undefined;
  let attachedCount = 0;
  let firstRefusal: Error | undefined;
  const isStopped = (): boolean => ended.signal.aborted;
  while (!isStopped()) {
    const waiting = waitingUnder(pid);
    first ??= new Set(waiting.map(keyOf));
    for (const info of waiting) {
      if (isStopped()) return;
      if (info.ageMs >= BORN_MS) await attachTo(info);
    }
    if (waiting.length === 0 && connections.isEmpty) {
      if (attachedCount === 0) throw firstRefusal ?? noneFound(pid);
      return;
    }
    if (until === stop && !waitingUnder(pid).some((info) => first?.has(keyOf(info)))) {
      until = Promise.race([stop, onAllAttached()]);
      void until.then(end);
    }
    await Promise.race([until, sleep(POLL_MS)]);
  }

  function waitingUnder(parent: number): ProcessInfo[] {
    return nodeProcessesUnder(parent).filter((info) => triedAt.get(keyOf(info)) !== Infinity);
  }

  async function attachTo(info: ProcessInfo): Promise<void> {
    const key = keyOf(info);
    const now = performance.now();
    const firstAt = triedAt.get(key) ?? now;
    triedAt.set(key, firstAt);
    try {
      const attached = await attachToProcess(info.pid, { ...options, wasClosed: wasClosed.has(key) });
      triedAt.set(key, Infinity);
      await onAttached(attached);
      attachedCount += 1;
    } catch (error) {
      const isTemporary = error instanceof Refusal && error.isTemporary && now - firstAt < RETRY_MS;
      if (isTemporary) return;
      triedAt.set(key, Infinity);
      // It has ended meanwhile, as short commands do.
      if (readProcess(info.pid) === undefined || !(error instanceof Error)) return;
      firstRefusal ??= error;
      onRefused(info, error.message);
    }
  }
}

/** A process id can be given to another process later. */
function keyOf({ pid, startedMs }: ProcessInfo): string {
  return `${pid} ${startedMs}`;
}

function noneFound(pid: number): Refusal {
  return new Refusal(
    `a Node.js process with the id ${pid}, or below it`,
    readProcess(pid) ? 'none below it' : 'no process with that id',
    'List your Node.js processes: loopwatch ps',
  );
}
