import { useState, type ComponentProps, type ReactNode } from 'react';
import { nextSort, sortedBy, sortRows, type Sort, type Sorted, type SortValue } from './sort-rows.ts';
import { keepPlaces, useHeld } from './held-rows.tsx';
import { useKeptFocus } from './use-kept-focus.ts';

export interface Column<Row> {
  /** Unique in the table; also the `data-column` of its cells. */
  key: string;
  /** The column header; with `isUnnamed` only for screen readers. */
  header: string;
  isUnnamed?: boolean;
  renderCell: (row: Row) => ReactNode;
  /** Aligns numbers and actions at the end. */
  isAtEnd?: boolean;
  /** For header and cells, for example a width. */
  className?: string;
  /** Lets people sort by the column, if the table has all rows. Null comes last. */
  sortBy?: (row: Row) => SortValue;
}

/** The column for the buttons of a row, without its `renderCell`. */
export const actionsColumn = { key: 'actions', header: 'Actions', isUnnamed: true, isAtEnd: true } as const;

/**
 * A table for lists of moderate length. On a small screen (`stacked`) each row has two lines: the first and last column, then
 * the others. When the focused row is removed, the row in its place gets the focus.
 */
export function Table<Row>({
  label,
  columns,
  rows,
  rowKey,
  isCut = false,
  isHeld = false,
  hasRowLinks = false,
  isTall = false,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** There are more rows than these. Sorted, they would look like the first of all. */
  isCut?: boolean;
  /** Rows keep their places. */
  isHeld?: boolean;
  /** Each row has a `row-link`, which a click anywhere in the row follows. Other controls need `relative z-1`. */
  hasRowLinks?: boolean;
  /** Rows of several lines: cells are aligned at the top, and on a small screen each has its own line with the last one below. */
  isTall?: boolean;
}) {
  const keepsFocus = useKeptFocus();
  const { inOrder, scope, sortOf } = useSort(columns, rows, isCut);
  const { shown } = useHeld({
    current: rows,
    isHeld,
    scope,
    all: inOrder,
    hold: (held, latest) => keepPlaces(held, latest, rowKey),
  });
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it only notes where the focus was
    <table
      aria-label={label}
      className={`plain-table ${hasRowLinks ? 'has-row-links' : ''} ${isTall ? 'is-tall' : ''}`}
      {...keepsFocus}
    >
      <thead>
        <tr>
          {columns.map((column) => (
            <Header key={column.key} column={column} sort={sortOf(column)} />
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map(({ key, renderCell, isAtEnd, className = '' }) => (
              <td key={key} data-column={key} className={`${isAtEnd ? 'text-end' : ''} ${className}`}>
                {renderCell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The order that a person chose, and for each column that sorts what its header says and does. */
function useSort<Row>(columns: readonly Column<Row>[], rows: readonly Row[], isCut: boolean) {
  const [sort, setSort] = useState<Sort>();
  const sortBy = isCut ? undefined : columns.find(({ key }) => key === sort?.key)?.sortBy;
  const sortOf = ({ key, sortBy: valueOf }: Column<Row>): HeaderSort | undefined =>
    isCut || valueOf === undefined
      ? undefined
      : {
          sorted: sortedBy(sort, key),
          onClick: () =>
            setSort(
              nextSort(
                sort,
                key,
                rows.some((row) => typeof valueOf(row) === 'number'),
              ),
            ),
        };
  const inOrder = (all: readonly Row[]) => (sort && sortBy ? sortRows(all, sortBy, sort.isDescending) : all);
  return { inOrder, scope: JSON.stringify(sort), sortOf };
}

interface HeaderSort {
  sorted: Sorted;
  onClick: () => void;
}

/** A header; with `sort` a button that sorts. */
function Header<Row>({
  column: { header, isUnnamed, isAtEnd, className = '' },
  sort,
}: {
  column: Column<Row>;
  sort: HeaderSort | undefined;
}) {
  return (
    <th
      scope="col"
      aria-sort={sort?.sorted}
      className={`${isAtEnd ? 'text-end' : 'text-start'} ${className}`}
    >
      {sort && <SortButton header={header} {...sort} className="hidden columns:inline-flex" />}
      {/* Without columns the header is for screen readers alone, and cannot have the focus. */}
      <span className={isUnnamed ? 'sr-only' : sort && 'columns:hidden'}>{header}</span>
    </th>
  );
}

/** Sorts by a column. In a table the header around it tells the order. */
export function SortButton({
  header,
  sorted,
  className = '',
  ...props
}: { header: string; sorted: Sorted } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      title={`Sort by ${header}`}
      className={`items-center gap-0.5 hover:text-text ${sorted === 'none' ? '' : 'font-semibold text-text'} ${className}`}
      {...props}
    >
      {header}
      {sorted !== 'none' && <span aria-hidden>{sorted === 'ascending' ? '↑' : '↓'}</span>}
    </button>
  );
}
