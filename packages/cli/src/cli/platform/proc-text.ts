import type { ConnectedSocket, ListeningSocket } from './platform.js';

/*
 * Parsers of the text that the Linux kernel gives in `/proc`. They take text only, so that tests need no process.
 */

/** Clock ticks of `/proc` in a second: `USER_HZ`, which is 100 on every architecture that Node.js supports. */
const TICKS_PER_SECOND = 100;
/** `SIGUSR1` is signal 10: bit 9 of a signal mask. */
const SIGUSR1_BIT = 1n << 9n;
const ESTABLISHED = '01';
const LISTEN = '0A';

export interface ProcessStatus {
  /** Cut at 15 characters. */
  readonly name: string;
  readonly userId: number;
  /** `/proc/ID` also exists for the id of a thread: this is that of its process. */
  readonly processId: number;
  /** The process has a handler for `SIGUSR1`. Without one, the signal would end it. */
  readonly catchesSigusr1: boolean;
  /** Process id in its own pid namespace: differs from the outer one in a container. */
  readonly innerPid: number;
}

/** Parses `/proc/PID/status`. */
export function parseStatus(text: string): ProcessStatus {
  const field = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(text)?.[1] ?? '';
  const caught = field('SigCgt');
  return {
    name: field('Name'),
    processId: Number(field('Tgid')),
    userId: Number(field('Uid').split(/\s+/)[1]),
    catchesSigusr1: /^[\da-f]+$/i.test(caught) && (BigInt(`0x${caught}`) & SIGUSR1_BIT) !== 0n,
    innerPid: Number(field('NSpid').split(/\s+/).at(-1) || field('Pid')),
  };
}

export interface ProcessStat {
  /** `R` running, `S` sleeping, `D` in an uninterruptible wait, `T` and `t` stopped, `Z` ended but not collected. */
  readonly state: string;
  readonly parentPid: number;
  readonly cpuMs: number;
  /** Start of the process, in ms since the system has booted. */
  readonly startedMs: number;
  /** False until a process that was forked runs a program of its own: until then it looks like its parent. */
  readonly hasExecuted: boolean;
}

/** `PF_FORKNOEXEC` among the flags of the kernel. */
const FORKED_ONLY = 0x40;

/** Parses `/proc/PID/stat`. The second field, a name in parentheses, may contain anything. */
export function parseStat(text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parentPid] = fields;
  const ms = (index: number): number => (Number(fields[index]) * 1000) / TICKS_PER_SECOND;
  const hasExecuted = (Number(fields[6]) & FORKED_ONLY) === 0;
  const stat = { state, parentPid: Number(parentPid), cpuMs: ms(11) + ms(12), startedMs: ms(19), hasExecuted };
  return Number.isFinite(stat.startedMs) && state !== '' ? stat : undefined;
}

/** The count of an `eventfd`, of `/proc/PID/fdinfo/FD`: how often an event loop has been woken, until it has noticed. */
export function parseWakeUps(text: string): number | undefined {
  const [, count] = /^eventfd-count:\s*([\da-f]+)$/m.exec(text) ?? [];
  return count === undefined ? undefined : Number.parseInt(count, 16);
}

/** The descriptors for which an event loop waits, of `/proc/PID/fdinfo/FD`. */
export function parsePolled(text: string): string[] {
  return Array.from(text.matchAll(/^tfd:\s*(\d+)/gm), ([, descriptor = '']) => descriptor);
}

/** The arguments or variables of `/proc/PID/cmdline` or `/proc/PID/environ`. */
export function parseNullSeparated(text: string): string[] {
  const parts = text.split('\0');
  if (parts.at(-1) === '') parts.pop();
  return parts;
}

/** The listening sockets of `/proc/PID/net/tcp` or `tcp6`. */
export function parseListening(text: string): ListeningSocket[] {
  return socketsIn(text, LISTEN).map(({ port, address, inode }) => ({ port, host: hostOf(address), inode }));
}

/** The connections of `/proc/PID/net/tcp` or `tcp6` whose both ends are open. */
export function parseConnected(text: string): ConnectedSocket[] {
  return socketsIn(text, ESTABLISHED).map(({ port, remotePort, inode }) => ({ port, remotePort, inode }));
}

interface TableLine extends ConnectedSocket {
  readonly address: string;
}

function socketsIn(text: string, wanted: string): TableLine[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', remote = '', state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state !== wanted) return [];
      const [address = '', port = ''] = local.split(':');
      return [
        {
          port: Number.parseInt(port, 16),
          remotePort: Number.parseInt(remote.split(':')[1] ?? '', 16),
          address,
          inode,
        },
      ];
    });
}

/** The kernel writes addresses in hex, each 32 bits in the byte order of the machine. */
function hostOf(address: string): string {
  if (address.length > 8) return /^0{24}/.test(address) ? '[::1]' : '127.0.0.1';
  const bytes = address.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  const host = bytes.reverse().join('.');
  return host === '0.0.0.0' ? '127.0.0.1' : host;
}

export interface Container {
  readonly runtime: 'docker' | 'podman' | 'kubernetes';
  readonly id: string;
}

/** The container of `/proc/PID/cgroup`; undefined where it shows none. */
export function containerOf(text: string): Container | undefined {
  const [id] = /[\da-f]{64}/.exec(text) ?? [];
  if (id === undefined) return undefined;
  return { id, runtime: text.includes('kubepods') ? 'kubernetes' : text.includes('libpod') ? 'podman' : 'docker' };
}

/** Name of a Node.js binary: `node`, `nodejs`, `node20`, `node-22`, `node.exe`. */
const NODE_BINARY = /^node(js)?(-?v?\d[\d.]*)?(\.exe)?$/i;

export function isNodeBinaryName(executable: string): boolean {
  return NODE_BINARY.test(executable.replace(/ \(deleted\)$/, '').replace(/^.*[\\/]/, ''));
}

/** The port of the inspector, by the flags of Node.js on the command line and in `NODE_OPTIONS`. */
export function inspectorPort(args: readonly string[], nodeOptions = ''): number {
  let port = 9229;
  for (const arg of [...nodeOptions.split(/\s+/), ...args]) {
    const [, value] = /^--(?:inspect(?:-brk|-wait)?|inspect-port|debug-port)=(\S+)$/.exec(arg) ?? [];
    const text = value === undefined ? undefined : /(?:^|:)(\d+)$/.exec(value)?.[1];
    if (text !== undefined) port = Number(text);
  }
  return port;
}

const NODE_OPTIONS = 'NODE_OPTIONS=';

/**
 * The port of the inspector, by the arguments and the environment of a process; 0 where it is not known. Where its
 * primary has a port by a flag, a cluster worker has the next one as an argument, which a program hides that sets its
 * title.
 */
export function portOf(args: readonly string[], environment: readonly string[], parentArgs: readonly string[]): number {
  const nodeOptions = environment.find((variable) => variable.startsWith(NODE_OPTIONS))?.slice(NODE_OPTIONS.length);
  const isClusterWorker = environment.some((variable) => variable.startsWith('NODE_UNIQUE_ID='));
  const primaryHasPort = hasPort((nodeOptions ?? '').split(/\s+/)) || hasPort(parentArgs);
  const isHidden = isClusterWorker && primaryHasPort && !hasPort(args);
  return isHidden ? 0 : inspectorPort(args, nodeOptions);
}

function hasPort(args: readonly string[]): boolean {
  return args.some((arg) => /^--(inspect|debug-port)/.test(arg));
}

/** A limit in `/proc/PID/limits`, such as `open files`. Infinity where the process has none, or the text is empty. */
export function parseLimit(text: string, name: string): number {
  return Number(new RegExp(`^Max ${name}\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Infinity);
}

/** The size of the address space in `/proc/PID/status`, kB; 0 where the text has none. */
export function parseSizeKb(text: string): number {
  return Number(/^VmSize:\s+(\d+)/m.exec(text)?.[1] ?? 0);
}

/** By `/proc/PID/cgroup`: the mount point of the control groups that limit the number of threads, and the group below. */
export function parsePidsGroup(text: string): readonly [folder: string, group: string] {
  const v1 = /^\d+:(?:[^:]*,)?pids(?:,[^:]*)?:(.*)$/m.exec(text)?.[1];
  if (v1 !== undefined) return ['/sys/fs/cgroup/pids', v1];
  return ['/sys/fs/cgroup', /^0::(.*)$/m.exec(text)?.[1] ?? '/'];
}

/** System call numbers of `epoll_wait`, `epoll_pwait` and `epoll_pwait2`. */
const POLL_CALLS: Partial<Record<NodeJS.Architecture, readonly number[]>> = { x64: [232, 281, 441], arm64: [22, 441] };

/** The descriptor of the event loop in which a thread waits, by `/proc/PID/syscall`; undefined where it does not. */
export function parsePollDescriptor(text: string | undefined, architecture: NodeJS.Architecture): number | undefined {
  const call = parseCall(POLL_CALLS[architecture], text);
  return typeof call === 'object' ? call.descriptor : undefined;
}

/**
 * Parses `/proc/PID/syscall`: the descriptor of one of these calls; undefined where it does not say which call it is.
 */
export function parseCall(
  calls: readonly number[] | undefined,
  text: string | undefined,
): { readonly descriptor: number } | 'other' | undefined {
  const [, call, descriptor] = /^(-?\d+|running)(?: (0x[\da-f]+))?/.exec(text ?? '') ?? [];
  if (!calls || call === undefined) return undefined;
  return calls.includes(Number(call)) && descriptor !== undefined ? { descriptor: Number(descriptor) } : 'other';
}
