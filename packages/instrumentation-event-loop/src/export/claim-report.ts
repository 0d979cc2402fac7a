const CLAIMS = Symbol.for('loopwatch.claims');

interface Claimable {
  [CLAIMS]?: WeakSet<object>;
}

/**
 * Claims the report of an event to a provider: true for the first call, false for all others. So two instrumentations, or
 * two copies of the package, with one provider never double a span or a count.
 */
export function claimReport(event: object, provider: object): boolean {
  const claimable = event as Claimable;
  const claims = claimable[CLAIMS] ?? new WeakSet<object>();
  claimable[CLAIMS] = claims;
  if (claims.has(provider)) return false;
  claims.add(provider);
  return true;
}
