import type { ReactNode } from 'react';
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
  hasRowLinks = false,
  isTall = false,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Each row has a `row-link`, which a click anywhere in the row follows. Other controls need `relative z-1`. */
  hasRowLinks?: boolean;
  /** Rows of several lines: cells are aligned at the top, and on a small screen each has its own line with the last one below. */
  isTall?: boolean;
}) {
  const keepsFocus = useKeptFocus();
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it only notes where the focus was
    <table
      aria-label={label}
      className={`plain-table ${hasRowLinks ? 'has-row-links' : ''} ${isTall ? 'is-tall' : ''}`}
      {...keepsFocus}
    >
      <thead>
        <tr>
          {columns.map(({ key, header, isUnnamed, isAtEnd, className = '' }) => (
            <th key={key} scope="col" className={`${isAtEnd ? 'text-end' : 'text-start'} ${className}`}>
              {isUnnamed ? <span className="sr-only">{header}</span> : header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
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
