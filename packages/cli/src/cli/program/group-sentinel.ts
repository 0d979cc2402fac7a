import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

/** Waits for the end of its stdin, and so ends with this process. It outlives SIGQUIT, which would have it leave a core. */
const COMMAND = "trap '' QUIT; exec cat";
/** This process may hear of the sentinel's end before it hears of the signal, ms. */
const SIGNAL_DELAY_MS = 100;

/**
 * A process of no other use in the process group of `loopwatch` and of the program. A signal to that group, as by Ctrl+C
 * in a terminal or `kill -INT -- -PGID`, ends it too, and one to `loopwatch` alone does not: nothing else tells them apart.
 */
export interface GroupSentinel {
  /** Whether the signal that has just arrived, one that ended it, went to the whole group; undefined where not known. */
  wasHit(signal: NodeJS.Signals): boolean | undefined;
  end(): void;
}

/** Starts a sentinel. Only on Linux, which says without delay whether a process has got a signal. */
export function startGroupSentinel(): GroupSentinel {
  const hits = new Set<NodeJS.Signals>();
  let current = process.platform === 'linux' ? start() : undefined;

  function start(): ChildProcess {
    const sentinel = spawn('sh', ['-c', COMMAND], { stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' });
    sentinel.once('error', () => undefined); // without a shell, it has no id
    sentinel.once('exit', (_code, signal) => {
      if (current !== sentinel) return;
      current = undefined;
      if (signal === null || signal === 'SIGKILL') return;
      hits.add(signal);
      setTimeout(() => hits.delete(signal), SIGNAL_DELAY_MS).unref();
      current = start();
    });
    sentinel.unref();
    return sentinel;
  }

  return {
    wasHit: (signal) => {
      if (hits.delete(signal)) return true;
      const isHit = current?.pid === undefined ? undefined : hasGotSignal(current.pid);
      if (isHit) current = start();
      return isHit;
    },
    end: () => {
      const last = current;
      current = undefined;
      last?.kill('SIGKILL');
    },
  };
}

/** The kernel signals the youngest process of a group first: when the others hear of it, this one has got the signal. */
function hasGotSignal(pid: number): boolean | undefined {
  try {
    return isEnding(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Whether a process has ended or is about to, by the text of its `/proc/PID/status`. */
export function isEnding(status: string): boolean {
  return /^State:\s*[ZX]/m.test(status) || /^(?:SigPnd|ShdPnd):\s*0*[1-9a-f]/im.test(status);
}
