/**
 * The host of a request to a listening socket, by its address as a program of the system shows it. It stays on this
 * machine: what is no address of a socket counts as loopback. `isIpv6`: of the address of all interfaces.
 */
export function localHost(address: string, isIpv6: boolean): string {
  if (/^(\*|0\.0\.0\.0|\[::\])$/.test(address)) return isIpv6 ? '[::1]' : '127.0.0.1';
  return /^(\d{1,3}(\.\d{1,3}){3}|\[[\da-f:.]+\])$/i.test(address) ? address : '127.0.0.1';
}
