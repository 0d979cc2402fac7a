import { setTimeout as sleep } from 'node:timers/promises';

import type { ListeningSocket } from '../../platform/platform.js';
import { portOf } from '../../platform/proc-text.js';
import { childrenOf, environmentOf, type ProcessInfo, readProcess } from '../process/processes.js';
import { listeningOf } from '../process/sockets.js';
import { connectInspector, type InspectorClient } from './inspector-client.js';
import { closeLater, isClosed } from './leave.js';
import { describeInspector } from './open-inspector.js';
import { evaluation } from './snapshot.js';

/*
 * The primary of a `cluster` hands SIGUSR1 on: when its inspector opens, Node.js sends the signal to each of its workers.
 * Those that have a port of their own, because the primary has `--inspect-port`, open theirs, too, and keep it open.
 */

/** A worker whose inspector is closed, and the port on which it would open. */
export interface ClusterWorker {
  readonly info: ProcessInfo;
  /** 0 where it is not known. */
  readonly port: number;
  /** Its listening sockets, by their inodes. */
  readonly before: ReadonlySet<string>;
}

/** How long a worker may take to open its inspector, ms, after the primary has closed its own. */
const OPEN_TIMEOUT_MS = 1000;
const POLL_MS = 20;
const ANSWER_TIMEOUT_MS = 1000;

/** The cluster workers of a process whose inspectors are closed. To be asked before the signal. */
export function closedClusterWorkers(pid: number): ClusterWorker[] {
  const args = readProcess(pid)?.args ?? [];
  return childrenOf(pid).flatMap((info) => {
    const environment = environmentOf(info.pid);
    if (!environment.some((variable) => variable.startsWith('NODE_UNIQUE_ID='))) return [];
    const port = portOf(info.args, environment, args);
    const sockets = listeningOf(info.pid);
    const isOpen = port !== 0 && sockets.some((socket) => socket.port === port);
    return isOpen ? [] : [{ info, port, before: new Set(sockets.map(({ inode }) => inode)) }];
  });
}

/**
 * Has the workers close the inspectors that they have opened since then. Returns those that do not, because their event
 * loop does not iterate. A worker on the port of the primary could not open its own, unless it was late.
 */
export async function closeInspectors(
  workers: readonly ClusterWorker[],
  primaryPort: number,
): Promise<readonly ClusterWorker[]> {
  const isOpen = await Promise.all(
    workers.map(async (worker) => {
      const socket = await opened(worker, worker.port === primaryPort ? 0 : OPEN_TIMEOUT_MS);
      return socket !== undefined && !(await close(worker.info, socket).catch(() => false));
    }),
  );
  return workers.filter((_, index) => isOpen[index]);
}

/** What the user must know of those that stay open; undefined where there are none. */
export function openWorkersText(workers: readonly ClusterWorker[]): string | undefined {
  if (workers.length === 0) return undefined;
  const list = workers.map(({ info, port }) => `${info.pid}${port === 0 ? '' : ` (port ${port})`}`).join(', ');
  return `Node.js has opened the inspectors of the cluster workers, too. They stay open in: ${list}.`;
}

async function opened(worker: ClusterWorker, timeoutMs: number): Promise<ListeningSocket | undefined> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const socket = socketOf(worker);
    if (socket || performance.now() >= deadline) return socket;
    await sleep(POLL_MS);
  }
}

function socketOf({ info, port, before }: ClusterWorker): ListeningSocket | undefined {
  return listeningOf(info.pid).find((socket) => (port === 0 ? !before.has(socket.inode) : socket.port === port));
}

async function close({ pid, innerPid }: ProcessInfo, address: ListeningSocket): Promise<boolean> {
  const inspector = await describeInspector(`${address.host}:${address.port}`);
  if (!inspector) return false;
  const client = await connectInspector(inspector.url);
  try {
    if ((await idOf(client, inspector.nodeVersion)) !== innerPid) return false;
    await closeLater(client, { ...inspector, wasOpen: false });
  } finally {
    await client.close();
  }
  return isClosed(pid, { ...inspector, address, wasOpen: false });
}

async function idOf(client: InspectorClient, nodeVersion: string): Promise<unknown> {
  const answer = await client.call<{ readonly result?: { readonly value?: unknown } }>(
    'Runtime.evaluate',
    evaluation('process.pid', nodeVersion),
    ANSWER_TIMEOUT_MS,
  );
  return answer.result?.value;
}
