import { existsSync, openSync, readdirSync, readSync, closeSync } from 'node:fs';
import process from 'node:process';

import { entries, link, read } from './proc-files.js';
import {
  isNodeBinaryName,
  type ListeningSocket,
  parseConnected,
  parseListening,
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

/** The root of the process as it is reached from here; undefined where that may not be read. */
export function rootOf(pid: number): string | undefined {
  return link(`${pid}/root`);
}

/** The listening TCP sockets in the network namespace of the process. */
export function listeningIn(pid: number): ListeningSocket[] {
  return ['tcp', 'tcp6'].flatMap((table) => parseListening(read(`${pid}/net/${table}`) ?? ''));
}

/** Of the listening sockets, those that the process itself holds. */
export function listeningOf(pid: number): ListeningSocket[] {
  const own = socketsOf(pid);
  return listeningIn(pid).filter(({ inode }) => own.has(`socket:[${inode}]`));
}

/** The ports of the process to which a client is connected. */
export function connectedPortsOf(pid: number): ReadonlySet<number> {
  const own = socketsOf(pid);
  const connected = ['tcp', 'tcp6'].flatMap((table) => parseConnected(read(`${pid}/net/${table}`) ?? ''));
  return new Set(connected.filter(({ inode }) => own.has(`socket:[${inode}]`)).map(({ port }) => port));
}

/** The descriptors of the process as `/proc` names them: `socket:[4711]`. */
function socketsOf(pid: number): ReadonlySet<string | undefined> {
  return new Set(entries(`${pid}/fd`).map((fd) => link(`${pid}/fd/${fd}`)));
}

/** The process that holds a socket, among those that this user may look into. */
export function holderOf(inode: string): ProcessInfo | undefined {
  const pid = entries('').find(
    (name) =>
      /^\d+$/.test(name) && entries(`${name}/fd`).some((fd) => link(`${name}/fd/${fd}`) === `socket:[${inode}]`),
  );
  return pid === undefined ? undefined : readProcess(Number(pid));
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

function fileContains(file: string, marker: Buffer): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return false;
  }
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES + marker.length);
    let kept = 0;
    for (;;) {
      const length = readSync(descriptor, buffer, kept, CHUNK_BYTES, null);
      if (length === 0) return false;
      if (buffer.subarray(0, kept + length).includes(marker)) return true;
      // The marker may begin at the end of this chunk.
      const start = Math.max(0, kept + length - marker.length);
      buffer.copy(buffer, 0, start, kept + length);
      kept = kept + length - start;
    }
  } catch {
    return false;
  } finally {
    closeSync(descriptor);
  }
}
