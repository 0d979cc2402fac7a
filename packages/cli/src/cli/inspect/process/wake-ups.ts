import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import { entries, link, read } from '../../platform/proc-files.js';
import { parsePolled, parsePollDescriptor, parseWakeUps } from '../../platform/proc-text.js';
import { childrenOf } from './processes.js';

/** An event loop that has not taken its wake-ups for so long is held up by one callback, ms. */
const HELD_UP_MS = 500;
const LOOK_AGAIN_MS = 10;
/** Node.js wakes the loop twice for SIGUSR1: once to open the inspector, and once more for the interrupt of V8. */
const WAKE_UPS = 2;
/** Node.js opens the main thread's loop as the third. Those of worker threads and of `execSync` come later. */
const MAIN_LOOP_INDEX = 2;

/**
 * Whether the event loop of a thread has not taken the wake-ups of SIGUSR1; undefined where the system does not show
 * them. When Node.js itself has got that signal, it wakes the event loop of the main thread, and the wake-ups stay until
 * that loop iterates. `execSync` iterates a loop of its own, which is not the one that is woken.
 */
export async function isLoopHeldUp(pid: number): Promise<boolean | undefined> {
  let untaken = wakeUpsOf(pid);
  if (untaken.size === 0) return undefined;
  const deadline = performance.now() + HELD_UP_MS;
  for (;;) {
    const before = untaken;
    const now = [...wakeUpsOf(pid)];
    // A loop that takes its wake-ups takes all of them: those that it gets later are fewer.
    untaken = new Map(
      now.filter(([descriptor, count]) => count >= Math.max(WAKE_UPS, before.get(descriptor) ?? Infinity)),
    );
    // They may be those of a worker thread.
    if (untaken.size === 0 || waitsInOwnLoop(pid)) return false;
    if (performance.now() > deadline) return true;
    await sleep(LOOK_AGAIN_MS);
  }
}

/** The wake-ups that the event loops of the process have not taken yet, by the descriptors of their `eventfd`s. */
function wakeUpsOf(pid: number): ReadonlyMap<string, number> {
  const descriptors = entries(`${pid}/fd`).filter((fd) => link(`${pid}/fd/${fd}`) === 'anon_inode:[eventfd]');
  return new Map(
    descriptors.flatMap((fd) => {
      const count = parseWakeUps(read(`${pid}/fdinfo/${fd}`) ?? '');
      return count === undefined ? [] : [[fd, count] as const];
    }),
  );
}

/** Whether the main thread waits for events in its own loop at this moment, as far as the system shows it. */
function waitsInOwnLoop(pid: number): boolean {
  const descriptor = parsePollDescriptor(read(`${pid}/syscall`), process.arch);
  if (descriptor === undefined) return false;
  const mainLoop = loopsOf(pid)[MAIN_LOOP_INDEX];
  // Another version may open fewer before, so that the third may be the one of `execSync`.
  return descriptor === mainLoop && childrenOf(pid).length === 0;
}

/** Whether the main thread waits for events in its own loop at this moment; undefined where the system does not show it. */
export function isWaitingForEvents(pid: number): boolean | undefined {
  return read(`${pid}/syscall`) === undefined ? undefined : waitsInOwnLoop(pid);
}

/** The descriptors of the event loops of the process, in the order in which they were opened. */
function loopsOf(pid: number): number[] {
  return entries(`${pid}/fd`)
    .filter((fd) => link(`${pid}/fd/${fd}`) === 'anon_inode:[eventpoll]')
    .map(Number)
    .sort((a, b) => a - b);
}

/**
 * The inodes of the sockets for which another event loop than that of the main thread waits. The inspector and each worker
 * thread have a loop of their own; the servers of the main thread are not among them. None where the system does not show it.
 */
export function socketsOfOtherLoops(pid: number): ReadonlySet<string> {
  const descriptors = loopsOf(pid)
    .filter((_, index) => index !== MAIN_LOOP_INDEX)
    .flatMap((loop) => parsePolled(read(`${pid}/fdinfo/${loop}`) ?? ''));
  return new Set(descriptors.flatMap((fd) => /^socket:\[(\d+)\]$/.exec(link(`${pid}/fd/${fd}`) ?? '')?.[1] ?? []));
}
