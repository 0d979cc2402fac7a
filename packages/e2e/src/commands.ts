import { spawnSync } from 'node:child_process';

export interface CommandResult {
  readonly exitCode: number | null;
  /** Standard output, followed by standard error. */
  readonly output: string;
}

/** Runs a program to its end and returns its output. */
export function runCommand(
  command: string,
  commandArguments: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): CommandResult {
  const { status, stdout, stderr, error } = spawnSync(command, commandArguments, {
    encoding: 'utf8',
    timeout: 240_000,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...environment },
  });
  if (error !== undefined) throw error;
  return { exitCode: status, output: stdout + stderr };
}
