import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/** For how long the processes may end by themselves after SIGTERM, ms. A handler in JavaScript cannot run in a block. */
const GRACE_MS = 5000;
const POLL_MS = 50;

export interface KillTarget {
  /** Sends the program itself a signal. */
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly hasEnded: () => boolean;
  /** Ids of its processes that run now; none where they are not known. */
  readonly pids: () => readonly number[];
}

/** Ends a program and the processes that it has started: SIGTERM, then SIGKILL to what is left after the grace time. */
export async function killProcesses(target: KillTarget, graceMs = GRACE_MS): Promise<'SIGTERM' | 'SIGKILL'> {
  const { hasEnded, pids } = target;
  const runs = (): boolean => !hasEnded() || pids().length > 0;
  sendAll(target, 'SIGTERM');
  for (let leftMs = graceMs; leftMs > 0 && runs(); leftMs -= POLL_MS) await sleep(POLL_MS);
  if (!runs()) return 'SIGTERM';
  sendAll(target, 'SIGKILL');
  // One of them may have started another meanwhile.
  for (let leftMs = graceMs; leftMs > 0 && runs(); leftMs -= POLL_MS) {
    await sleep(POLL_MS);
    if (runs()) sendAll(target, 'SIGKILL');
  }
  return 'SIGKILL';
}

function sendAll({ kill, pids }: KillTarget, signal: NodeJS.Signals): void {
  // Before the program ends: some of its processes are known by their parent alone.
  const running = pids();
  kill(signal);
  for (const pid of running) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile, or has the rights of another user.
    }
  }
}
