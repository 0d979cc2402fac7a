import { localHost } from './local-host.js';
import type { ConnectedSocket, ListeningSocket } from './platform.js';

/*
 * Parsers of what `lsof -F` prints: a line for each field, which starts with its letter. A process begins with `p`, a file
 * with `f`. They take text only, so that tests need no process.
 */

export interface OpenFile {
  readonly pid: number;
  /** `cwd`, `txt` or a number. */
  readonly descriptor: string;
  /** `IPv4`, `IPv6`, `REG`, … */
  readonly type: string;
  /** The device of a socket: what tells it from others. */
  readonly device: string;
  /** Path, or `address:port` or `address:port->address:port`. */
  readonly name: string;
}

const MAX_LINES = 500_000;

/** Parses the fields `p`, `f`, `t`, `d` and `n`; what has no name counts for nothing. */
export function parseOpenFiles(text: string): OpenFile[] {
  const files: OpenFile[] = [];
  let pid = NaN;
  let file = { descriptor: '', type: '', device: '' };
  for (const line of text.split('\n', MAX_LINES)) {
    const value = line.slice(1);
    if (line.startsWith('p')) pid = /^\d+$/.test(value) ? Number(value) : NaN;
    else if (line.startsWith('f')) file = { descriptor: value, type: '', device: '' };
    else if (line.startsWith('t')) file.type = value;
    else if (line.startsWith('d')) file.device = value;
    else if (line.startsWith('n') && !Number.isNaN(pid)) files.push({ pid, ...file, name: value });
  }
  return files;
}

/** Of files that were asked for with `-sTCP:LISTEN`. */
export function listeningAmong(files: readonly OpenFile[]): (ListeningSocket & { readonly pid: number })[] {
  return files.flatMap(({ pid, type, device, name }) => {
    const [, address = '', port] = /^(.*):(\d{1,5})$/.exec(name) ?? [];
    return port === undefined
      ? []
      : { pid, port: Number(port), host: localHost(address, type === 'IPv6'), inode: device };
  });
}

/** Of files that were asked for with `-sTCP:ESTABLISHED`. */
export function connectedAmong(files: readonly OpenFile[]): ConnectedSocket[] {
  return files.flatMap(({ device, name }) => {
    const [, port, remotePort] = /^.*:(\d{1,5})->.*:(\d{1,5})$/.exec(name) ?? [];
    return port === undefined ? [] : { port: Number(port), remotePort: Number(remotePort), inode: device };
  });
}
