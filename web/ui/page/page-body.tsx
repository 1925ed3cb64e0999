import { useId, type ReactNode } from 'react';
import { HasMargins } from './has-margins.ts';

/** The scrolling part of a page. `isNarrow` is for texts and forms. */
export function PageBody({ isNarrow = false, children }: { isNarrow?: boolean; children: ReactNode }) {
  return (
    // Relative, so that hidden texts for screen readers scroll with it instead of extending the page.
    <div className="relative min-h-0 grow overflow-y-auto">
      <div className={isNarrow ? 'max-w-2xl px-4 pb-16' : 'pb-16'}>{children}</div>
    </div>
  );
}

/** A section with a heading and a line below. */
export function Section({
  title,
  note,
  end,
  children,
}: {
  title: string;
  /** A one-sentence description. */
  note?: ReactNode;
  /** At the end of the heading line. */
  end?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="border-b border-line py-6 last:border-b-0">
      <div className="mb-3 flex items-start justify-between gap-x-4 gap-y-2 max-md:flex-wrap">
        <div className="min-w-0">
          <h2 id={id} className="text-base font-semibold">
            {title}
          </h2>
          {note !== undefined && <p className="text-muted">{note}</p>}
        </div>
        {end && <div className="shrink-0">{end}</div>}
      </div>
      <HasMargins value>{children}</HasMargins>
    </section>
  );
}
