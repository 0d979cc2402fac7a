import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** The address that a name of this machine stands for. Rejects with a message that says what was expected. */
export async function addressOf(host: string): Promise<string> {
  if (isIP(host) !== 0) return host;
  try {
    return (await lookup(host)).address;
  } catch (error) {
    throw new Error(`Expected an address of this machine as --host, got ${host}.`, { cause: error });
  }
}

/** Names by which others reach this machine, in lower case. */
export function namesOf(host: string): Set<string> {
  const machine = hostname().toLowerCase();
  const short = machine.split('.')[0]!;
  return new Set([host.toLowerCase(), machine, short, `${short}.local`].filter((name) => name !== ''));
}
