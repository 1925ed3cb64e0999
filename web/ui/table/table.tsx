import { useEffect, useRef, type ReactNode } from 'react';
import { placeOf } from './place-of.ts';

export interface Column<Row> {
  /** Unique in the table; also names the cell for the page's own styles. */
  key: string;
  /** What the column is called; with `isUnnamed` for screen readers alone. */
  header: string;
  isUnnamed?: boolean;
  renderCell: (row: Row) => ReactNode;
  /** Numbers and actions stand at the end of their column. */
  isAtEnd?: boolean;
  /** Of header and cells, such as a width. */
  className?: string;
}

/**
 * A list of moderate length. On a phone each row becomes two lines: the first column with the last one at its end, and
 * the others below. When the row that has the focus leaves, the one in its place gets it.
 */
export function Table<Row>({
  label,
  columns,
  rows,
  rowKey,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
}) {
  const heir = useRef<() => HTMLElement | undefined>(undefined);
  useEffect(() => {
    if (document.activeElement === document.body) heir.current?.()?.focus();
  });
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it only notes where the focus was
    <table
      aria-label={label}
      className="plain-table"
      onFocus={({ target }) => {
        heir.current = placeOf(target);
      }}
      onBlur={() => {
        heir.current = undefined;
      }}
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
