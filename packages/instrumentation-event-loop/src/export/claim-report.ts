const CLAIMS = Symbol.for('loopwatch.claims');

interface Claimable {
  [CLAIMS]?: WeakSet<object>;
}

/**
 * Claims the report of an event to a provider: returns true for the first call and false for all others. With it, two
 * instrumentations or two copies of the package that share a provider do not report an event twice.
 */
export function claimReport(event: object, provider: object): boolean {
  const claimable = event as Claimable;
  const claims = claimable[CLAIMS] ?? new WeakSet<object>();
  claimable[CLAIMS] = claims;
  if (claims.has(provider)) return false;
  claims.add(provider);
  return true;
}
