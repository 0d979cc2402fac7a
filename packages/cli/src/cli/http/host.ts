import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Of one interface: without its zone (`%eth0`), it leads nowhere. */
const LINK_LOCAL = /^fe[89ab][\da-f]:/i;

/**
 * The address that a name of this machine stands for, as a URL can have it: without a zone. Rejects with a message that says
 * what was expected.
 */
export async function addressOf(host: string): Promise<string> {
  const address = isIP(host) === 0 ? await lookUp(host) : host;
  if (LINK_LOCAL.test(address)) {
    throw new Error(
      `Expected an address that a URL can name as --host, got ${host}: a link-local one needs its zone, which no URL has. Choose another, or :: for all of them.`,
    );
  }
  return address.replace(/%.*$/, '');
}

async function lookUp(host: string): Promise<string> {
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
