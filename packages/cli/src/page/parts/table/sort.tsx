import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import type { SortedTable } from '../../model/view-state.js';
import { useCurrentView } from '../state/view.js';

export interface Sorting<K extends string> {
  readonly key: K;
  readonly descending: boolean;
}

/**
 * Sorting of a table, which the address keeps: a click on the sorted column reverses the order. The table is at first
 * sorted by `first`.
 */
export function useSorting<K extends string>(
  table: SortedTable,
  columns: Readonly<Record<K, unknown>>,
  first: Sorting<NoInfer<K>>,
): [Sorting<K>, (key: K) => void] {
  const { view, show } = useCurrentView();
  const order = view.order?.[table];
  // The same object as long as the order is the same: sorting thousands of rows depends on it.
  const sorting = useMemo(() => parseOrder(order, columns) ?? first, [order]);
  return [
    sorting,
    (key) => {
      const next = { key, descending: sorting.key === key ? !sorting.descending : true };
      const isFirst = next.key === first.key && next.descending === first.descending;
      const { [table]: _old, ...others } = view.order ?? {};
      show({ order: isFirst ? others : { ...others, [table]: `${next.descending ? '-' : ''}${key}` } });
    },
  ];
}

/** Undefined if the table has no such column. */
function parseOrder<K extends string>(
  order: string | undefined,
  columns: Readonly<Record<K, unknown>>,
): Sorting<K> | undefined {
  const descending = order?.startsWith('-') === true;
  const name = descending ? order.slice(1) : order;
  const key = (Object.keys(columns) as K[]).find((known) => known === name);
  return key === undefined ? undefined : { key, descending };
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
