import process from 'node:process';

import { platform } from '../../platform/current.js';
import type { ListeningSocket } from '../../platform/platform.js';
import { Refusal } from '../../platform/refusal.js';
import { assertProcFileSystem, type ProcessInfo, readProcess } from './processes.js';

/*
 * The sockets of processes, as the system shows them.
 */

/** The listening TCP sockets in the network namespace of the process. */
export function listeningIn(pid: number): readonly ListeningSocket[] {
  return platform().listeningIn(pid);
}

/** Of the listening sockets, those that the process itself holds. */
export function listeningOf(pid: number): readonly ListeningSocket[] {
  return platform().listeningOf(pid);
}

/** The ports of the process to which a client is connected. */
export function connectedPortsOf(pid: number): ReadonlySet<number> {
  return new Set(
    platform()
      .connectionsOf(pid)
      .map(({ port }) => port),
  );
}

/** Whether the process holds a connection from this port of its own to that one. */
export function isConnected(pid: number, port: number, remotePort: number): boolean {
  return platform()
    .connectionsOf(pid)
    .some((socket) => socket.port === port && socket.remotePort === remotePort);
}

/** The process that holds a socket, among those that this user may look into. */
export function holderOf(inode: string): ProcessInfo | undefined {
  const pid = platform().holderOf(inode);
  return pid === undefined ? undefined : readProcess(pid);
}

/** The process that listens on a port here, and is seen by the system. Throws a `Refusal` where there is none. */
export function holderOfPort(port: number): { readonly info: ProcessInfo; readonly address: ListeningSocket } {
  assertProcFileSystem();
  for (const address of listeningIn(process.pid).filter((socket) => socket.port === port)) {
    const info = holderOf(address.inode);
    if (info) return { info, address };
  }
  throw new Refusal(
    `a process on this machine, which this user may look into, with port ${port}`,
    'none',
    'Run the command where the process runs, as its user.',
  );
}
