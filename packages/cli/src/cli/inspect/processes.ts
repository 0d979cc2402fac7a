import { closeSync, constants, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import process from 'node:process';

import { entries, link, read } from './proc-files.js';
import {
  isNodeBinaryName,
  parseNullSeparated,
  parseStat,
  parseStatus,
  type ProcessStat,
  type ProcessStatus,
} from './proc-text.js';
import { Refusal } from './refusal.js';
import { publicCommand } from '../../model/public-command.js';

/** A process, as the kernel describes it. */
export interface ProcessInfo extends ProcessStatus, ProcessStat {
  readonly pid: number;
  /** Empty where it cannot be read: a process of another user. */
  readonly executable: string;
  readonly args: readonly string[];
  readonly ageMs: number;
}

/** What tells a process from a later one with its id, and from another program that it executes. */
export type ProcessIdentity = Pick<ProcessInfo, 'pid' | 'startedMs' | 'userId' | 'executable'>;

/** Marker of Loopwatch in the environment or the arguments of a process that was started with it. */
const WATCHED = /(^LOOPWATCH_RUN_DIRECTORY=.)|(@loopwatch[\\/]instrumentation-event-loop)/;
/** The kernel cuts the names of threads at 15 characters. From Node.js 24 on, worker threads have their names there. */
const WATCHDOG_THREAD = 'loopwatch-watch';
/**
 * `node::Start(int, char**)`, a symbol that every binary of Node.js exports, or imports from `libnode.so`. It is among
 * the first megabytes.
 */
const NODE_MARKER = Buffer.from('_ZN4node5StartEiPPc');

export function assertProcFileSystem(): void {
  if (existsSync('/proc/self/status')) return;
  throw new Refusal(
    'the /proc file system of Linux',
    `none on this system (${process.platform})`,
    'Without it, Loopwatch cannot tell whether a process takes SIGUSR1 as a request to open its inspector or ends of it. ' +
      'Start the program with: loopwatch run -- <command>',
  );
}

/** Reads a process; undefined when no process has that id. */
export function readProcess(pid: number): ProcessInfo | undefined {
  const status = read(`${pid}/status`);
  const stat = parseStat(read(`${pid}/stat`) ?? '');
  if (status === undefined || stat === undefined) return undefined;
  return {
    pid,
    ...parseStatus(status),
    ...stat,
    executable: link(`${pid}/exe`) ?? '',
    args: parseNullSeparated(read(`${pid}/cmdline`) ?? ''),
    ageMs: Math.max(0, uptimeMs() - stat.startedMs),
  };
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
  const hasSameFiles = (['root', 'ns/mnt'] as const).every((name) => {
    const own = link(`self/${name}`);
    return own !== undefined && own === link(`${pid}/${name}`);
  });
  return userId !== process.geteuid?.() || !hasSameFiles;
}

/** The Node.js processes of this user, oldest first. */
export function nodeProcesses(): ProcessInfo[] {
  const userId = process.geteuid?.();
  return (
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .flatMap((name) => readProcess(Number(name)) ?? [])
      .filter((info) => info.userId === userId && isNodeBinaryName(info.executable) && info.state !== 'Z')
      // Only of those with the name: it reads megabytes.
      .filter(isNode)
      .sort((a, b) => b.ageMs - a.ageMs)
  );
}

/**
 * Whether the process runs Node.js, by what its binary contains. The name says nothing: a single executable has another
 * one, and another program can have the name `node`, and a handler for SIGUSR1 that ends it, as Go's runtime has.
 */
export function isNode({ pid }: ProcessInfo): boolean {
  return fileContains(`/proc/${pid}/exe`, NODE_MARKER);
}

/** Whether Loopwatch watches the process, as far as that is visible from outside. */
export function isWatched({ pid, args }: ProcessInfo): boolean {
  return (
    [...args, ...environmentOf(pid)].some((text) => WATCHED.test(text)) ||
    threadIdsOf(pid).some((tid) => read(`${pid}/task/${tid}/comm`)?.trim() === WATCHDOG_THREAD)
  );
}

/** The text of `/proc/PID/cgroup`. */
export function cgroupOf(pid: number): string {
  return read(`${pid}/cgroup`) ?? '';
}

export function environmentOf(pid: number): readonly string[] {
  return parseNullSeparated(read(`${pid}/environ`) ?? '');
}

export function threadIdsOf(pid: number): readonly number[] {
  return entries(`${pid}/task`).map(Number);
}

/** CPU time of a thread, in ms; undefined where the kernel does not count it. */
export function threadCpuMs(pid: number, tid: number): number | undefined {
  const ns = Number(read(`${pid}/task/${tid}/schedstat`)?.split(' ')[0] ?? NaN);
  return Number.isFinite(ns) ? ns / 1e6 : undefined;
}

/** Whether a thread is on a CPU or ready to run, not asleep; undefined where that is not known. */
export function isThreadReady(pid: number, tid: number): boolean | undefined {
  const state = parseStat(read(`${pid}/task/${tid}/stat`) ?? '')?.state;
  return state === undefined ? undefined : state === 'R';
}

/** The Node.js processes among a process and its descendants, parents first. */
export function nodeProcessesUnder(pid: number): ProcessInfo[] {
  const all = entries('')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => readProcess(Number(name)) ?? []);
  const found = all.filter((info) => info.pid === pid);
  for (const { pid: parent } of found) found.push(...all.filter(({ parentPid }) => parentPid === parent));
  return found.filter((info) => info.state !== 'Z' && isNode(info));
}

export function workingDirectoryOf(pid: number): string | undefined {
  return link(`${pid}/cwd`);
}

export function childrenOf(pid: number): ProcessInfo[] {
  return entries('')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])
    .filter(({ parentPid }) => parentPid === pid);
}

/** Which namespace of that kind the process is in; undefined where that may not be read. */
export function namespaceOf(pid: number | 'self', kind: 'net' | 'mnt' | 'pid'): string | undefined {
  return link(`${pid}/ns/${kind}`);
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

function uptimeMs(): number {
  return Number(read('uptime')?.split(' ')[0] ?? 0) * 1000;
}

const CHUNK_BYTES = 4 * 1024 * 1024;
/** A binary of Node.js with all debugging information has less. A hostile file may have no end. */
const MAX_BINARY_BYTES = 256 * CHUNK_BYTES;

function fileContains(file: string, marker: Buffer): boolean {
  let descriptor: number;
  try {
    // Does not wait for a lease that a process may hold.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return false;
  }
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES + marker.length);
    let kept = 0;
    for (let total = 0; total < MAX_BINARY_BYTES;) {
      const length = readSync(descriptor, buffer, kept, CHUNK_BYTES, null);
      if (length === 0) return false;
      total += length;
      if (buffer.subarray(0, kept + length).includes(marker)) return true;
      // The marker may begin at the end of this chunk.
      const start = Math.max(0, kept + length - marker.length);
      buffer.copy(buffer, 0, start, kept + length);
      kept = kept + length - start;
    }
    return false;
  } catch {
    return false;
  } finally {
    closeSync(descriptor);
  }
}
