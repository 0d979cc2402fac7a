import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

export interface Sorting<K extends string> {
  readonly key: K;
  readonly descending: boolean;
}

/** Sorting of a table: a click on the sorted column reverses the order. */
export function useSorting<K extends string>(first: Sorting<K>): [Sorting<K>, (key: K) => void] {
  const [sorting, setSorting] = useState(first);
  return [
    sorting,
    (key) => {
      setSorting((old) => ({ key, descending: old.key === key ? !old.descending : true }));
    },
  ];
}

export function sorted<T, K extends string>(
  items: readonly T[],
  { key, descending }: Sorting<K>,
  valueOf: Readonly<Record<K, (item: T) => number | string>>,
): T[] {
  const sign = descending ? -1 : 1;
  return [...items].sort((a, b) => {
    const [x, y] = [valueOf[key](a), valueOf[key](b)];
    return sign * (typeof x === 'string' ? x.localeCompare(String(y)) : x - Number(y));
  });
}

interface HeaderCellProps<K extends string> {
  sortKey: K;
  sorting: Sorting<K>;
  onSort: (key: K) => void;
  numeric?: boolean;
  children: ComponentChildren;
}

export function HeaderCell<K extends string>(props: HeaderCellProps<K>): JSX.Element {
  const { sortKey, sorting, onSort, numeric = false, children } = props;
  const isSorted = sorting.key === sortKey;
  return (
    <th
      scope="col"
      class={numeric ? 'number' : ''}
      aria-sort={isSorted ? (sorting.descending ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        onClick={() => {
          onSort(sortKey);
        }}
      >
        {children}
        <span class="arrow" aria-hidden="true">
          {isSorted ? (sorting.descending ? '↓' : '↑') : ''}
        </span>
      </button>
    </th>
  );
}
