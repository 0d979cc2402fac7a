import { WeakMap } from '../contract/built-ins.js';

const CLAIMS = Symbol.for('loopwatch.claims.2');

interface Claimable {
  [CLAIMS]?: WeakMap<object, object>;
}

/**
 * Claims the report of an event to a provider: returns true for the first claimant, each time that it asks, and false
 * for all others. With it, two instrumentations or two copies of the package that share a provider do not report an
 * event twice. Without a claimant, only the first call returns true.
 */
export function claimReport(event: object, provider: object, claimant: object = {}): boolean {
  const claimable = event as Claimable;
  const claims = claimable[CLAIMS] ?? new WeakMap<object, object>();
  claimable[CLAIMS] = claims;
  const existing = claims.get(provider);
  if (existing) return existing === claimant;
  claims.set(provider, claimant);
  return true;
}
