import { execFileSync } from 'node:child_process';
import os from 'node:os';

/** Of util-linux, which every Linux has. */
const PROGRAM = 'taskset';

/** The command that holds another one, and what it starts, on a CPU. */
export function pinToCpu(cpu: number, command: readonly string[]): string[] {
  return [PROGRAM, '--cpu-list', String(cpu), ...command];
}

/**
 * The CPU that the two of a pair share: on different ones, one of them would have the noisier neighbour. Undefined where
 * programs cannot be held on one.
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
