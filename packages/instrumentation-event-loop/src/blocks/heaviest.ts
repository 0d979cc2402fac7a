/** The entries of the key that took longest, in their order; of the first such key where several took equally long. */
export function heaviest<T>(
  entries: readonly T[],
  keyOf: (entry: T) => unknown,
  msOf: (entry: T) => number,
): readonly T[] {
  const groups = new Map<unknown, { readonly entries: T[]; ms: number }>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const group = groups.get(key) ?? { entries: [], ms: 0 };
    groups.set(key, group);
    group.entries.push(entry);
    group.ms += msOf(entry);
  }
  let most: { readonly entries: readonly T[]; readonly ms: number } = { entries: [], ms: -1 };
  for (const group of groups.values()) if (group.ms > most.ms) most = group;
  return most.entries;
}
