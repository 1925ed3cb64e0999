import type { ReactNode } from 'react';

/** A section of a page with its title. `isEmpty` replaces its content by a note. */
export function PagePart({
  id,
  title,
  note,
  end,
  isEmpty = false,
  children,
}: {
  id?: string;
  title: string;
  /** Below the title. */
  note?: string;
  /** To the right of the title. */
  end?: ReactNode;
  isEmpty?: boolean;
  children: ReactNode;
}) {
  return (
    <section id={id} aria-label={title}>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 pt-8 pb-2">
        <div>
          <h2 className="text-base font-semibold">{title}</h2>
          {note !== undefined && <p className="text-muted">{note}</p>}
        </div>
        {end}
      </div>
      {isEmpty ? <p className="px-4 text-muted">None in this period.</p> : children}
    </section>
  );
}
