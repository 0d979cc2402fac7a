import process from 'node:process';

import { isNodeBinary } from './node-binary.js';
import type { ConnectedSocket, ListeningSocket, Platform, ProcessInfo } from './platform.js';
import { entries, identityOf, link, read } from './proc-files.js';
import { parseConnected, parseListening, parseNullSeparated, parseStat, parseStatus } from './proc-text.js';

/** The watchdog opens its files early: they have low numbers. A server has a descriptor for each connection. */
const MAX_DESCRIPTORS = 4_096;
const THREAD_TIMES = /^\/proc\/\d+\/task\/\d+\/schedstat$/;

/** Linux, by `/proc`. */
export const linux: Platform = {
  process: readProcess,
  processes: () => processIds().flatMap((pid) => readProcess(pid) ?? []),
  nodeAmong,
  environment: (pid) => parseNullSeparated(read(`${pid}/environ`) ?? ''),
  workingDirectory: (pid) => link(`${pid}/cwd`),
  threadIds: (pid) => entries(`${pid}/task`).map(Number),
  threadName: (pid, tid) => read(`${pid}/task/${tid}/comm`)?.trim(),
  readsOwnThreads: (pid) =>
    entries(`${pid}/fd`)
      .slice(0, MAX_DESCRIPTORS)
      .some((fd) => THREAD_TIMES.test(link(`${pid}/fd/${fd}`) ?? '')),
  threadCpuMs: (pid, tid) => {
    const ns = Number(read(`${pid}/task/${tid}/schedstat`)?.split(' ')[0] ?? NaN);
    return Number.isFinite(ns) ? ns / 1e6 : undefined;
  },
  isThreadReady: (pid, tid) => {
    const state = parseStat(read(`${pid}/task/${tid}/stat`) ?? '')?.state;
    return state === undefined ? undefined : state === 'R';
  },
  listeningIn,
  listeningOf: (pid) => ownOf(pid, listeningIn(pid)),
  connectionsOf: (pid) =>
    ownOf<ConnectedSocket>(
      pid,
      ['tcp', 'tcp6'].flatMap((table) => parseConnected(read(`${pid}/net/${table}`) ?? '')),
    ),
  holderOf: (inode) =>
    processIds().find((pid) => entries(`${pid}/fd`).some((fd) => link(`${pid}/fd/${fd}`) === `socket:[${inode}]`)),
  namespace: (pid, kind) => link(`${pid}/ns/${kind}`),
  controlGroups: (pid) => read(`${pid}/cgroup`) ?? '',
  hasOtherFiles: (pid) =>
    !(['root', 'ns/mnt'] as const).every((name) => {
      const own = link(`self/${name}`);
      return own !== undefined && own === link(`${pid}/${name}`);
    }),
  askForInspector: (pid) => {
    process.kill(pid, 'SIGUSR1');
  },
};

/** Each binary is read once: a database has a process for each of its connections. */
function nodeAmong(candidates: readonly ProcessInfo[]): readonly ProcessInfo[] {
  const known = new Map<string, boolean>();
  return candidates.filter(({ pid }) => {
    const identity = identityOf(`${pid}/exe`);
    if (identity === undefined) return false;
    const isNode = known.get(identity) ?? isNodeBinary(`/proc/${pid}/exe`);
    known.set(identity, isNode);
    return isNode;
  });
}

function processIds(): number[] {
  return entries('')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function readProcess(pid: number): ProcessInfo | undefined {
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

function uptimeMs(): number {
  return Number(read('uptime')?.split(' ')[0] ?? 0) * 1000;
}

function listeningIn(pid: number): ListeningSocket[] {
  return ['tcp', 'tcp6'].flatMap((table) => parseListening(read(`${pid}/net/${table}`) ?? ''));
}

/** Of these sockets, those among the descriptors of the process, which `/proc` names `socket:[4711]`. */
function ownOf<T extends { readonly inode: string }>(pid: number, sockets: readonly T[]): T[] {
  const own = new Set(entries(`${pid}/fd`).map((fd) => link(`${pid}/fd/${fd}`)));
  return sockets.filter(({ inode }) => own.has(`socket:[${inode}]`));
}
