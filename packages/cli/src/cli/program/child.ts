import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';

import type { Outcome } from './outcome.js';

/** Signals that stop or control a program. */
const FORWARDED: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGCONT', 'SIGWINCH'];
/** A terminal sends these to the program too (Ctrl+C, Ctrl+\\): forwarded, they would arrive twice. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** Runs the program with the stdin, stdout and stderr of this process, forwards signals, and resolves when it ends. */
export async function runProgram(command: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: 'inherit', env });
  const stopForwarding = forwardSignals(child);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        reject(new Error(explainSpawnError(error, file), { cause: error }));
      });
      child.once('exit', (code, signal) => {
        resolve(signal === null ? { code: code ?? 0 } : { signal });
      });
    });
  } finally {
    stopForwarding();
  }
}

function forwardSignals(child: ChildProcess): () => void {
  const listeners = [...FORWARDED, ...FROM_TERMINAL].map((signal) => {
    const listener = (): void => {
      if (process.stdin.isTTY && FROM_TERMINAL.includes(signal)) return;
      child.kill(signal);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
}

function explainSpawnError(error: NodeJS.ErrnoException, file: string): string {
  if (error.code === 'ENOENT') {
    const isScript = /\.[cm]?[jt]sx?$/.test(file);
    return `Program ${file} not found.${isScript ? ` Did you mean: loopwatch run -- node ${file}` : ''}`;
  }
  if (error.code === 'EACCES') {
    return `${file} is not executable. If it is a script, use: loopwatch run -- node ${file}`;
  }
  return `Cannot start ${file}: ${error.message}`;
}
