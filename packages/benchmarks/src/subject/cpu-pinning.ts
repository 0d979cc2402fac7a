import { execFileSync } from 'node:child_process';
import os from 'node:os';

/** Part of util-linux. */
const PROGRAM = 'taskset';

/** The command that runs another command, and the processes it starts, on one CPU. */
export function pinToCpu(cpu: number, command: readonly string[]): string[] {
  return [PROGRAM, '--cpu-list', String(cpu), ...command];
}

/**
 * The CPU that both processes of a pair share: on different CPUs, other programs could slow one of them more than the
 * other. Undefined where `taskset` is missing or fails.
 */
export function cpuForPairs(): number | undefined {
  const last = os.cpus().length - 1;
  const [program = '', ...programArguments] = pinToCpu(last, ['true']);
  try {
    execFileSync(program, programArguments, { stdio: 'ignore' });
    return last;
  } catch {
    return undefined;
  }
}
