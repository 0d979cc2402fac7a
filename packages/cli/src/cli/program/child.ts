import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';

import type { Outcome } from './outcome.js';

/** What a terminal or a supervisor sends to stop or to steer a program. */
const FORWARDED: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGCONT', 'SIGWINCH'];
/** What a terminal sends to the program as well: forwarded, it would arrive twice. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** Runs the program on our own stdin, stdout and stderr, hands signals on, and says how it ended. */
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
    return `There is no program called ${file}.${isScript ? ` Did you mean: loopwatch run -- node ${file}` : ''}`;
  }
  if (error.code === 'EACCES') {
    return `${file} may not be executed. If it is a script: loopwatch run -- node ${file}`;
  }
  return `Cannot start ${file}: ${error.message}`;
}
