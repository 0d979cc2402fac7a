import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A command that starts a program with fewer resources than usual, and whether this machine permits the command. */
export interface Launcher {
  readonly isPossible: boolean;
  readonly command: readonly string[];
}

/** A user that has no process yet. */
export const otherUser = 61_234;

/** Pins the process and its children to one CPU. */
export const onOneCpu: Launcher = launcher(['taskset', '-c', firstCpu()]);

/** Limits the file descriptors of the process. */
export function withDescriptors(count: number): Launcher {
  return launcher(['sh', '-c', `ulimit -n ${count} && exec "$@"`, 'sh']);
}

/** Limits the threads of the user. The limit does not apply to the superuser, so the program has to become `otherUser`. */
export function withThreads(count: number): Launcher {
  const { command, isPossible } = launcher(['prlimit', `--nproc=${count}`]);
  const canBecomeOther = spawnSync('true', { uid: otherUser, gid: otherUser, timeout: 10_000 });
  return { command, isPossible: isPossible && process.geteuid?.() === 0 && canBecomeOther.status === 0 };
}

/** Hides /proc: an empty file system covers it in a separate mount namespace. */
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

/** The first CPU that this process may run on. */
function firstCpu(): string {
  if (process.platform !== 'linux') return '0';
  return /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
}
