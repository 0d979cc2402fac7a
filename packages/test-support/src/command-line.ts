/** The items of a comma-separated list, by their names; all of them where there is no list. */
export function choose<Item>(
  option: string,
  list: string | undefined,
  all: readonly Item[],
  nameOf: (item: Item) => string,
): readonly Item[] {
  if (list === undefined) return all;
  return list.split(',').map((name) => {
    const item = all.find((candidate) => nameOf(candidate) === name.trim());
    if (item === undefined) throw new Error(`Expected ${option} among ${all.map(nameOf).join(', ')}, got "${name}".`);
    return item;
  });
}
