import { useId, type ReactNode } from 'react';

/** What scrolls below the header of a page. `isNarrow` is for texts and forms. */
export function PageBody({ isNarrow = false, children }: { isNarrow?: boolean; children: ReactNode }) {
  return (
    // Relative, so that texts for screen readers scroll with it: else they make the whole page longer.
    <div className="relative min-h-0 grow overflow-y-auto">
      <div className={isNarrow ? 'max-w-2xl px-4 pb-16' : 'pb-16'}>{children}</div>
    </div>
  );
}

/** A named part of a page, set apart by a thin line. */
export function Section({
  title,
  note,
  end,
  children,
}: {
  title: string;
  /** What it is for, in a sentence. */
  note?: ReactNode;
  /** At the end of the title's line. */
  end?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="border-b border-line py-6 last:border-b-0">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h2 id={id} className="text-base font-semibold">
            {title}
          </h2>
          {note !== undefined && <p className="text-muted">{note}</p>}
        </div>
        {end}
      </div>
      {children}
    </section>
  );
}
