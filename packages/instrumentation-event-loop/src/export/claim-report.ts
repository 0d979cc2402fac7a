const CLAIMS = Symbol.for('loopwatch.claims');

interface Claimable {
  [CLAIMS]?: WeakSet<object>;
}

/**
 * Whether another instrumentation has told this event to the same provider already: two instances, or two copies of the
 * package, never double a span or a count. The first that asks has it.
 */
export function isClaimed(event: object, provider: object): boolean {
  const claimable = event as Claimable;
  const claims = claimable[CLAIMS] ?? new WeakSet<object>();
  claimable[CLAIMS] = claims;
  if (claims.has(provider)) return true;
  claims.add(provider);
  return false;
}
