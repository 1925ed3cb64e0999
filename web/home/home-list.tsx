import type { ReactNode } from 'react';
import { PagePart } from '../ui/page/page-part.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { TimeAgo } from '../ui/time/time.tsx';

/** Something that concerns the reader. */
export interface HomeRow {
  key: string;
  status: ReactNode;
  /** Opens it. */
  link: ReactNode;
  /** Where it is. Nulls are left out. */
  places: readonly (string | null)[];
  errorLine: string | null;
  /** What else is known, for example since which commit. */
  note?: ReactNode;
  at: string | null;
}

/** The look of `link`. */
export const rowLink = { className: 'row-link font-medium wrap-anywhere', 'data-row': true } as const;

/** A list of home. Nothing for an empty one. */
export function HomeList({ title, rows }: { title: string; rows: readonly HomeRow[] }) {
  if (rows.length === 0) return null;
  return (
    <PagePart title={title}>
      <Table label={title} hasRowLinks columns={columns} rows={rows} rowKey={({ key }) => key} />
    </PagePart>
  );
}

const columns: readonly Column<HomeRow>[] = [
  { key: 'status', header: 'Status', className: 'columns:w-40', renderCell: ({ status }) => status },
  { key: 'what', header: 'What', renderCell: (row) => <What row={row} /> },
  {
    key: 'at',
    header: 'When',
    isAtEnd: true,
    className: 'text-muted columns:w-24',
    renderCell: ({ at }) => at && <TimeAgo time={at} />,
  },
];

function What({ row: { link, places, errorLine, note } }: { row: HomeRow }) {
  return (
    <div className="min-w-0 py-1">
      {link}
      <div className="line-clamp-1 text-xs wrap-anywhere text-muted">
        {places
          .filter((place) => place !== null)
          .map((place, index) => (
            <span key={place}>
              {index > 0 && ' · '}
              <bdi>{clip(place, 100)}</bdi>
            </span>
          ))}
      </div>
      {errorLine !== null && (
        <bdi title={errorLine} className="line-clamp-2 font-mono text-xs leading-5 wrap-anywhere text-failed">
          {clip(errorLine)}
        </bdi>
      )}
      {note && <div className="text-xs text-muted">{note}</div>}
    </div>
  );
}
