import { WeakSet } from '../contract/built-ins.js';

const CLAIMS = Symbol.for('loopwatch.claims.3');

interface Claimable {
  [CLAIMS]?: WeakSet<object>;
}

/**
 * Claims the report of an event to a provider: returns true for the first call only. With it, two instrumentations or
 * two copies of the package that share a provider do not report an event twice.
 */
export function claimReport(event: object, provider: object): boolean {
  const claimable = event as Claimable;
  const claims = claimable[CLAIMS] ?? new WeakSet<object>();
  claimable[CLAIMS] = claims;
  if (claims.has(provider)) return false;
  claims.add(provider);
  return true;
}
