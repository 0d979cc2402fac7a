import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import process from 'node:process';

/** Signals that end a sentinel. */
export const ENDING: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGINT'];
/** Waits for the end of its stdin, and so ends with this process. It outlives SIGQUIT, which would have it leave a core. */
const COMMAND = "trap '' QUIT; exec cat";
/** This process may hear of the sentinel's end before it hears of the signal, ms. */
const SIGNAL_DELAY_MS = 100;

/**
 * A process in the process group of `loopwatch` and of the program. A signal to that group, as by Ctrl+C in a terminal or
 * `kill -INT -- -PGID`, ends it, and a signal to `loopwatch` alone does not. Node.js does not report who sent a signal.
 */
export interface GroupSentinel {
  /** Whether the signal that has just arrived, one of `ENDING`, went to the whole group; undefined where not known. */
  wasHit(signal: NodeJS.Signals): boolean | undefined;
  end(): void;
}

/** Starts a sentinel. Only on Linux, which says without delay which signals a process has got. */
export function startGroupSentinel(): GroupSentinel {
  /** Those that sentinels have got, and of which this process has not heard yet. */
  const hits = new Set<NodeJS.Signals>();
  let current = process.platform === 'linux' ? start() : undefined;

  function start(): ChildProcess {
    const sentinel = spawn('sh', ['-c', COMMAND], { stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' });
    sentinel.once('error', () => undefined); // without a shell, it has no id
    sentinel.once('exit', (_code, signal) => {
      if (current !== sentinel) return;
      current = undefined;
      if (signal !== null && signal !== 'SIGKILL') replaceAfter([signal]);
    });
    sentinel.unref();
    return sentinel;
  }

  function replaceAfter(signals: readonly NodeJS.Signals[]): void {
    for (const signal of signals) hits.add(signal);
    setTimeout(() => {
      for (const signal of signals) hits.delete(signal);
    }, SIGNAL_DELAY_MS).unref();
    current = start();
  }

  return {
    wasHit: (signal) => {
      if (hits.delete(signal)) return true;
      const signals = current?.pid === undefined ? undefined : signalsOf(current.pid);
      if (signals === undefined) return undefined;
      if (signals.length > 0) replaceAfter(signals);
      return hits.delete(signal);
    },
    end: () => {
      const last = current;
      current = undefined;
      last?.kill('SIGKILL');
    },
  };
}

/** The kernel signals the youngest process of a group first: when the others hear of it, this one has got the signal. */
function signalsOf(pid: number): NodeJS.Signals[] | undefined {
  try {
    return pendingSignals(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The signals that a process has got, by its `/proc/PID/status`. One that ends it stays there until it is collected. */
export function pendingSignals(status: string): NodeJS.Signals[] {
  const mask = parseInt(/^ShdPnd:\s*[\da-f]*?([\da-f]{8})$/m.exec(status)?.[1] ?? '0', 16);
  return ENDING.filter((signal) => (mask & (1 << (constants.signals[signal] - 1))) !== 0);
}
