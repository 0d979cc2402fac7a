/** The largest of any number of values: `Math.max(...values)` throws above some 100,000. */
export function largest(values: Iterable<number>, atLeast = -Infinity): number {
  let result = atLeast;
  for (const value of values) result = Math.max(result, value);
  return result;
}

/** The smallest of any number of values. */
export function smallest(values: Iterable<number>, atMost = Infinity): number {
  let result = atMost;
  for (const value of values) result = Math.min(result, value);
  return result;
}
