/** The items by key, keys in the order of their first item. Node.js 20 has no `Map.groupBy`. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

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

/** The object without the fields that are undefined: an absent value is an absent field. */
export function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined));
}
