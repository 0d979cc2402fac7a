import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Commands that start a program with less than it is used to; each says whether this machine lets us. */
export interface Launcher {
  readonly isPossible: boolean;
  readonly command: readonly string[];
}

/** A user who has no process yet. */
export const otherUser = 61_234;

/** On one CPU alone, the process's children as well. */
export const onOneCpu: Launcher = launcher(['taskset', '-c', firstCpu()]);

/** With so many file descriptors. */
export function withDescriptors(count: number): Launcher {
  return launcher(['sh', '-c', `ulimit -n ${count} && exec "$@"`, 'sh']);
}

/** With so many threads of its user, once that is not the superuser any more, whom no such limit holds. */
export function withThreads(count: number): Launcher {
  const { command, isPossible } = launcher(['prlimit', `--nproc=${count}`]);
  const becomesOther = spawnSync('true', { uid: otherUser, gid: otherUser, timeout: 10_000 });
  return { command, isPossible: isPossible && process.geteuid?.() === 0 && becomesOther.status === 0 };
}

/** In a mount namespace of its own, with something else over /proc. */
export const withoutProc: Launcher = launcher([
  'unshare',
  '--mount',
  'sh',
  '-c',
  'mount -t tmpfs none /proc && exec "$@"',
  'sh',
]);

function launcher(command: readonly string[]): Launcher {
  const [file, ...args] = command;
  return { command, isPossible: spawnSync(file!, [...args, 'true'], { timeout: 10_000 }).status === 0 };
}

/** The first that this process may run on. */
function firstCpu(): string {
  if (process.platform !== 'linux') return '0';
  return /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
}
