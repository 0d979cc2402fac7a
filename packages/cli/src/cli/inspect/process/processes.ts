import { existsSync } from 'node:fs';
import process from 'node:process';

import { ENV_RUN_DIRECTORY } from '../../../channel/contract.js';
import { publicCommand } from '../../../model/processes/public-command.js';
import { platform } from '../../platform/current.js';
import { platformKind } from '../../platform/kind.js';
import type { ProcessInfo } from '../../platform/platform.js';
import { link } from '../../platform/proc-files.js';
import { isNodeBinaryName } from '../../platform/proc-text.js';
import { Refusal } from '../../platform/refusal.js';

export type { ProcessInfo } from '../../platform/platform.js';

/** What tells a process from a later one with its id, and from another program that it executes. */
export type ProcessIdentity = Pick<ProcessInfo, 'pid' | 'startedMs' | 'userId' | 'executable'>;

/** Marker of Loopwatch in the environment or the arguments of a process that was started with it. */
const INSTRUMENTED = /@loopwatch[\\/]instrumentation-event-loop/;
const RUN_DIRECTORY = `${ENV_RUN_DIRECTORY}=`;
/** The kernel cuts the names of threads at 15 characters. From Node.js 24 on, worker threads have their names there. */
const WATCHDOG_THREAD = 'loopwatch-watch';

/** Throws where Linux does not show its processes, as in a container without `/proc`, or shows others. */
export function assertProcessesShown(): void {
  if (platformKind() !== 'proc') return;
  if (existsSync('/proc/self/status')) {
    assertOwnProcessIds();
    return;
  }
  throw new Refusal(
    'the /proc file system of Linux',
    'none',
    'Without it, Loopwatch cannot tell whether a process takes SIGUSR1 as a request to open its inspector or ends of it. ' +
      'Start the program with: loopwatch run -- <command>',
  );
}

/**
 * `/proc` may be that of another pid namespace, as after `unshare --pid` without `--mount-proc`: a signal would then reach
 * another process than the one that was looked at.
 */
function assertOwnProcessIds(): void {
  const shownId = link('self') ?? 'none';
  if (shownId === String(process.pid)) return;
  throw new Refusal(
    `this process to have the id ${process.pid} in /proc`,
    shownId,
    'This is the /proc of another pid namespace, where ids are those of other processes. Mount that of this one: ' +
      'mount -t proc proc /proc, or unshare --mount-proc',
  );
}

/** Throws where `attach` cannot read what the process records: it reads a file without a name by `/proc`. */
export function assertProcFileSystem(): void {
  if (platformKind() === 'proc') return;
  throw new Refusal(
    'the /proc file system of Linux, by which the records of an attached process are read',
    `none on this system (${process.platform})`,
    'loopwatch ps and loopwatch dump work here. To watch the program, start it with: loopwatch run -- <command>',
  );
}

/** Reads a process; undefined when no process has that id. */
export function readProcess(pid: number): ProcessInfo | undefined {
  return platform().process(pid);
}

/**
 * Throws where the id belongs to another process by now, or the process has executed another program, perhaps with the
 * rights of another user. To be called right before what must reach no other one. Returns what the process is now.
 */
export function assertSameProcess({ pid, startedMs, userId, executable }: ProcessIdentity): ProcessInfo {
  const now = readProcess(pid);
  const isSame = now?.startedMs === startedMs && now.userId === userId && now.executable === executable;
  if (isSame && now.state !== 'Z') return now;
  throw new Error(`Process ${pid} ended before it could answer.`);
}

/**
 * Whether the process has other rights than this one: another user, or a root or mounts of its own, as in a container.
 * Paths that it names may then lead elsewhere here, to files that it could not read.
 */
export function isForeign({ pid, userId }: ProcessInfo): boolean {
  return userId !== process.geteuid?.() || platform().hasOtherFiles(pid);
}

/** The Node.js processes of this user, oldest first. */
export function nodeProcesses(): ProcessInfo[] {
  const userId = process.geteuid?.();
  const candidates = platform()
    .processes()
    .filter((info) => info.pid !== process.pid && info.userId === userId && info.state !== 'Z')
    .filter(mayBeNode);
  return [...platform().nodeAmong(candidates)].sort((a, b) => b.ageMs - a.ageMs);
}

/**
 * Only of these is the binary read: it has megabytes. A single executable has a name of its own, and the handler for SIGUSR1.
 * `ps` may show the title that a program has set.
 */
export function mayBeNode({ executable, name, args, catchesSigusr1 }: ProcessInfo): boolean {
  return catchesSigusr1 === true || (executable === '' ? [name, args[0] ?? ''] : [executable]).some(isNodeBinaryName);
}

/**
 * Whether the process runs Node.js, by what its binary contains: another program can have the name `node`, and a handler
 * for SIGUSR1 that ends it, as Go's runtime has.
 */
export function isNode(info: ProcessInfo): boolean {
  return platform().nodeAmong([info]).length > 0;
}

/** The binary of a Node.js process, as a path that can be executed; undefined where it runs something else. */
export function nodeBinaryOf(info: ProcessInfo): string | undefined {
  const [node] = platform().nodeAmong([info]);
  return node && (platformKind() === 'proc' ? `/proc/${info.pid}/exe` : node.executable);
}

/** Whether Loopwatch watches the process, as far as that is visible from outside. */
export function isWatched({ pid, args }: ProcessInfo): boolean {
  const environment = environmentOf(pid);
  return (
    [...args, ...environment].some((text) => INSTRUMENTED.test(text)) ||
    environment.some((text) => text.startsWith(RUN_DIRECTORY) && isThere(pid, text.slice(RUN_DIRECTORY.length))) ||
    threadIdsOf(pid).some((tid) => platform().threadName(pid, tid) === WATCHDOG_THREAD) ||
    // What Node.js 20 and 22 show of the watchdog: it reads the times of the threads.
    platform().readsOwnThreads(pid)
  );
}

/** Whether a directory exists for a process: `loopwatch run` removes its own when it ends, and the process may go on. */
function isThere(pid: number, directory: string): boolean {
  return directory !== '' && existsSync(platformKind() === 'proc' ? `/proc/${pid}/root${directory}` : directory);
}

/** The text of `/proc/PID/cgroup`. */
export function cgroupOf(pid: number): string {
  return platform().controlGroups(pid);
}

export function environmentOf(pid: number): readonly string[] {
  return platform().environment(pid);
}

export function threadIdsOf(pid: number): readonly number[] {
  return platform().threadIds(pid);
}

/** CPU time of a thread, in ms; undefined where the system does not count it. */
export function threadCpuMs(pid: number, tid: number): number | undefined {
  return platform().threadCpuMs(pid, tid);
}

/** Whether a thread is on a CPU or ready to run, not asleep; undefined where that is not known. */
export function isThreadReady(pid: number, tid: number): boolean | undefined {
  return platform().isThreadReady(pid, tid);
}

/** The Node.js processes among a process and its descendants, parents first. */
export function nodeProcessesUnder(pid: number): ProcessInfo[] {
  const all = platform()
    .processes()
    .filter((info) => info.pid !== process.pid);
  const found = all.filter((info) => info.pid === pid);
  for (const { pid: parent } of found) {
    found.push(...all.filter((info) => info.parentPid === parent && !found.includes(info)));
  }
  return [...platform().nodeAmong(found.filter((info) => info.state !== 'Z'))];
}

export function workingDirectoryOf(pid: number): string | undefined {
  return platform().workingDirectory(pid);
}

export function childrenOf(pid: number): ProcessInfo[] {
  return platform()
    .processes()
    .filter(({ parentPid }) => parentPid === pid);
}

/** Which namespace of that kind the process is in; undefined where that may not be read. */
export function namespaceOf(pid: number | 'self', kind: 'net' | 'mnt' | 'pid'): string | undefined {
  return platform().namespace(pid, kind);
}

/** The program, without its arguments. A title in their place may contain them, as npm's does: all of it is one word. */
export function commandOf({ args, executable }: ProcessInfo): string {
  const [first = ''] = args;
  const isTitle = args.slice(1).every((word) => word === '') && !first.startsWith('/');
  return (isTitle ? first.trim().split(/\s/, 1)[0]! : publicCommand(args).join(' ')) || executable;
}

/** With all arguments. A program that has set its title leaves blanks where they were longer. */
export function commandLineOf({ args, executable }: ProcessInfo): string {
  return args.join(' ').trimEnd() || executable;
}
