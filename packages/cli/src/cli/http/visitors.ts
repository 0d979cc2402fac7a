import { isIP } from 'node:net';

/** Headers that say where a request comes from. */
export interface VisitorHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
  readonly 'sec-fetch-mode'?: string | string[] | undefined;
  readonly 'sec-fetch-dest'?: string | string[] | undefined;
}

export interface Listening {
  /** The server listens on a loopback address. */
  readonly isLoopback: boolean;
  /** Names of this machine, in lower case. */
  readonly names: ReadonlySet<string>;
}

/**
 * Why a request is refused before it is read; undefined if it is not. Only a browser sends `Origin` and `Sec-Fetch-Site`.
 * A web page of another origin must neither read data nor send any, nor make the server work. That includes a page whose
 * host name has been made to resolve to this machine (DNS rebinding): its name does not belong to this machine.
 */
export function refusalOf(
  headers: VisitorHeaders,
  authority: string | undefined,
  listening: Listening,
): string | undefined {
  const { host, origin } = headers;
  if (listening.isLoopback) {
    const foreign = [host, authority].find((name) => name !== undefined && !isNameOf(name, listening));
    if (foreign !== undefined) return 'Expected a loopback name in the Host header, such as localhost.';
  }
  if (origin !== undefined && !isOwnOrigin(origin, listening)) {
    return 'Expected no web page of another origin: its Origin is no name of this machine.';
  }
  const site = headers['sec-fetch-site'];
  const isForeignSite = site === 'cross-site' || site === 'same-site';
  // A link leads to the page; nothing embeds it.
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (isForeignSite && !isLink) return 'Expected no web page of another origin.';
  return undefined;
}

/** 127.0.0.0/8 or ::1, also in the forms of IPv6. */
export function isLoopbackAddress(address: string): boolean {
  return /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address) || (isIP(address) === 6 && canonical(address) === '::1');
}

/** 0.0.0.0 or ::, also in other forms: the server listens on all addresses of the machine. */
export function isEveryAddress(address: string): boolean {
  return address === '0.0.0.0' || (isIP(address) === 6 && canonical(address) === '::');
}

function canonical(ipv6: string): string {
  return new URL(`http://[${ipv6.replace(/%.*$/, '')}]/`).hostname.slice(1, -1);
}

/** A page on an address, and not on a name, has not been rebound; one of the machine's names belongs to its user. */
function isOwnOrigin(origin: string, { names }: Listening): boolean {
  const [, host = ''] = /^https?:\/\/(.+)$/i.exec(origin) ?? [];
  const name = hostName(host);
  return isLoopbackName(name) || isIP(name) !== 0 || names.has(name);
}

function isNameOf(host: string, { names }: Listening): boolean {
  const name = hostName(host);
  return isLoopbackName(name) || names.has(name);
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || (isIP(name) !== 0 && isLoopbackAddress(name));
}

/** `[::1]:4318` is `::1`, `Host:4318` is `host`; empty if it is no host. */
function hostName(host: string): string {
  const [, ipv6, name = ''] = /^(?:\[([^\]]*)\]|([^:@/\\?#]*))(?::\d*)?$/.exec(host) ?? [];
  return (ipv6 ?? name).toLowerCase().replace(/\.$/, '');
}
