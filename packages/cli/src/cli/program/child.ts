import { type ChildProcess, spawn } from 'node:child_process';
import { type Stats, statSync } from 'node:fs';
import process from 'node:process';
import { isatty } from 'node:tty';

import { shellWord } from '../../model/text/shell-word.js';
import { ENDING, startGroupSentinel } from './group-sentinel.js';
import { inheritedDescriptors } from './inherited.js';
import type { Outcome } from './outcome.js';

const OTHER: readonly NodeJS.Signals[] = ['SIGQUIT', 'SIGCONT', 'SIGWINCH'];
/** A terminal and its shell send these to the program too: forwarded, they would arrive twice. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', ...OTHER];

/** When this module is loaded: before `run` opens files. */
const INHERITED = inheritedDescriptors();

/** As shells have them. */
const EXIT_NOT_EXECUTABLE = 126;
const EXIT_NOT_FOUND = 127;

/** The program could not be started. */
export class ProgramStartError extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/**
 * Runs the program with the descriptors that this process has from its caller, forwards signals, and resolves when it ends.
 * `onStart` gets what sends it a signal.
 */
export async function runProgram(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  onStart?: (kill: (signal: NodeJS.Signals) => void) => void,
): Promise<Outcome> {
  const [file = '', ...args] = command;
  if (file === '') throw new ProgramStartError('The name of the program is empty.', EXIT_NOT_FOUND);
  const child = spawn(file, args, { stdio: stdioOf(INHERITED), env });
  const stopForwarding = forwardSignals(child);
  onStart?.((signal) => child.kill(signal));
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        reject(explainSpawnError(error, file));
      });
      child.once('exit', (code, signal) => {
        resolve(signal === null ? { code: code ?? 0 } : { signal });
      });
    });
  } finally {
    stopForwarding();
  }
}

/** The program has each of them under the same number. */
function stdioOf(inherited: readonly number[]): ('inherit' | 'ignore' | number)[] {
  const numbers = new Set(inherited);
  return Array.from({ length: Math.max(2, ...numbers) + 1 }, (_, number) => {
    if (number <= 2) return 'inherit';
    return numbers.has(number) ? number : 'ignore';
  });
}

/** Forwards the signals that this process gets alone. */
function forwardSignals(child: ChildProcess): () => void {
  const sentinel = startGroupSentinel();
  const isOfGroup = (signal: NodeJS.Signals): boolean => {
    const wasHit = ENDING.includes(signal) ? sentinel.wasHit(signal) : undefined;
    return wasHit ?? (FROM_TERMINAL.includes(signal) && isatty(0));
  };
  const listeners = [...ENDING, ...OTHER].map((signal) => {
    const listener = (): void => {
      if (!isOfGroup(signal)) child.kill(signal);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return () => {
    sentinel.end();
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
}

function explainSpawnError(error: NodeJS.ErrnoException, file: string): ProgramStartError {
  const isPath = /[\\/]/.test(file);
  const present = isPath ? statsOf(file) : undefined;
  if (present?.isDirectory()) {
    const advice = `If it is a package, use: loopwatch run -- node ${shellWord(file)}`;
    return new ProgramStartError(`${file} is a directory. ${advice}`, EXIT_NOT_EXECUTABLE);
  }
  if (error.code === 'ENOENT' && present) {
    return new ProgramStartError(
      `Cannot start ${file}: the interpreter that its first line names does not exist.`,
      EXIT_NOT_EXECUTABLE,
    );
  }
  if (error.code === 'ENOENT') {
    return new ProgramStartError(`Program ${file} not found.${adviceForMissing(file)}`, EXIT_NOT_FOUND);
  }
  if (error.code === 'EACCES') {
    return new ProgramStartError(
      `${file} is not executable. If it is a script, use: loopwatch run -- node ${shellWord(file)}`,
      EXIT_NOT_EXECUTABLE,
    );
  }
  return new ProgramStartError(`Cannot start ${file}: ${error.message}`, EXIT_NOT_EXECUTABLE);
}

function adviceForMissing(file: string): string {
  // Quotes around the whole command make one word of it.
  if (/\S\s+\S/.test(file) && !statsOf(file)) return ` Without quotes around all of it: loopwatch run -- ${file}`;
  if (/\.[cm]?[jt]sx?$/.test(file)) return ` Did you mean: loopwatch run -- node ${shellWord(file)}`;
  return /[\\/]/.test(file) ? '' : ' Is it in the PATH?';
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}
