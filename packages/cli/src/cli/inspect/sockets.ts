import process from 'node:process';

import { entries, link, read } from './proc-files.js';
import { type ConnectedSocket, type ListeningSocket, parseConnected, parseListening } from './proc-text.js';
import { assertProcFileSystem, type ProcessInfo, readProcess } from './processes.js';
import { Refusal } from './refusal.js';

/*
 * The sockets of processes, as the kernel's tables show them.
 */

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
  return new Set(connectionsOf(pid).map(({ port }) => port));
}

/** Whether the process holds a connection from this port of its own to that one. */
export function isConnected(pid: number, port: number, remotePort: number): boolean {
  return connectionsOf(pid).some((socket) => socket.port === port && socket.remotePort === remotePort);
}

function connectionsOf(pid: number): ConnectedSocket[] {
  const own = socketsOf(pid);
  const connected = ['tcp', 'tcp6'].flatMap((table) => parseConnected(read(`${pid}/net/${table}`) ?? ''));
  return connected.filter(({ inode }) => own.has(`socket:[${inode}]`));
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

/** The process that listens on a port here, and is seen in `/proc`. Throws a `Refusal` where there is none. */
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
