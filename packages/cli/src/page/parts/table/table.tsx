import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

import { GuessLegend } from '../code/culprit.js';
import { ShowMore } from './show-more.js';
import { HeaderCell, type Sorting } from './sort.js';

export interface Column<K extends string = never> {
  readonly title: string;
  /** The table can be sorted by it. */
  readonly sortKey?: K;
  readonly numeric?: boolean;
}

interface TableProps<T, K extends string> {
  /** Its class. */
  kind: string;
  /** `false`: a column that is not shown. */
  columns: readonly (Column<K> | false)[];
  rows: readonly T[];
  /** The row with its key. */
  row: (item: T, index: number) => JSX.Element;
  /** Rows at first; a button shows more. */
  firstRows: number;
  /** How many rows that button adds; all of them where it is absent. */
  moreRows?: number;
  /** Text of the button. `left`: rows that are not shown. */
  more: (left: number) => string;
  sorting?: Sorting<K>;
  onSort?: (key: K) => void;
  /** Whether a row needs the legend of guesses. */
  isGuess?: (item: T) => boolean;
  /** Id of its heading: the keyboard can scroll the table. One of which a row has a link or a button needs that not. */
  scrolledAs?: string;
  /** What stands below the table when all of its rows are shown. */
  end?: ComponentChildren;
}

/** A table with the first of its rows, which scrolls sideways where it is wide. */
export function Table<T, K extends string = never>(props: TableProps<T, K>): JSX.Element {
  const { kind, columns, rows, row, firstRows, moreRows = Infinity, more, sorting, onSort } = props;
  const [count, setCount] = useState(firstRows);
  const shown = rows.slice(0, count);
  const left = rows.length - shown.length;
  const scrolled =
    props.scrolledAs === undefined ? {} : { tabIndex: 0, role: 'group' as const, 'aria-labelledby': props.scrolledAs };
  return (
    <>
      <div class="scroll" {...scrolled}>
        <table class={kind}>
          <thead>
            <tr>
              {columns.map(
                (column) =>
                  column && <ColumnHeader key={column.title} column={column} sorting={sorting} onSort={onSort} />,
              )}
            </tr>
          </thead>
          <tbody>{shown.map(row)}</tbody>
        </table>
      </div>
      {props.isGuess && shown.some(props.isGuess) && <GuessLegend />}
      {left > 0 && (
        <ShowMore
          text={more(left)}
          onClick={() => {
            setCount(count + moreRows);
          }}
        />
      )}
      {left === 0 && count > firstRows && props.end}
    </>
  );
}

interface ColumnHeaderProps<K extends string> {
  column: Column<K>;
  sorting: Sorting<K> | undefined;
  onSort: ((key: K) => void) | undefined;
}

function ColumnHeader<K extends string>({ column, sorting, onSort }: ColumnHeaderProps<K>): JSX.Element {
  const { title, sortKey, numeric } = column;
  if (sortKey !== undefined && sorting && onSort) {
    return (
      <HeaderCell sortKey={sortKey} sorting={sorting} onSort={onSort} numeric={numeric === true}>
        {title}
      </HeaderCell>
    );
  }
  return (
    <th scope="col" class={numeric ? 'number' : undefined}>
      {title}
    </th>
  );
}
