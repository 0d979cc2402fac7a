import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** How a program ended, and what it wrote. */
export interface ChildOutcome {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The kill timer ended it. */
  readonly timedOut: boolean;
  readonly durationMs: number;
}

export interface RunningChild {
  readonly outcome: Promise<ChildOutcome>;
  readonly isRunning: () => boolean;
  readonly signal: (signal: NodeJS.Signals) => void;
}

export interface ChildOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Starts a program in a process group of its own, so that the kill timer reaches its children as well. */
export function startChild({ command, cwd, env, timeoutMs }: ChildOptions): RunningChild {
  const startedMs = performance.now();
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  let timedOut = false;
  let running = true;
  const killTimer = setTimeout(() => {
    timedOut = true;
    killGroup(child);
  }, timeoutMs);
  const outcome = new Promise<ChildOutcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => {
      running = false;
      // Children that the program has left behind hold its pipes open.
      setTimeout(() => {
        killGroup(child);
      }, 3000).unref();
    });
    child.once('close', (exitCode, signal) => {
      clearTimeout(killTimer);
      killGroup(child);
      const durationMs = performance.now() - startedMs;
      resolve({ exitCode, signal, stdout: stdout(), stderr: stderr(), timedOut, durationMs });
    });
  });
  return {
    outcome,
    isRunning: () => running,
    signal: (signal) => {
      child.kill(signal);
    },
  };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended.
  }
}
