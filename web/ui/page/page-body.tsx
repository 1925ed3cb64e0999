import { createContext, use, useEffect, useId, useRef, type ReactNode } from 'react';
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

export interface IndexedSection {
  title: string;
  section: HTMLElement;
}

/** Adds a section to the index of its page. Returns what removes it. */
export const AddToIndex = createContext<((entry: IndexedSection) => () => void) | undefined>(undefined);

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
  const section = useRef<HTMLElement>(null);
  const add = use(AddToIndex);
  useEffect(() => add?.({ title, section: section.current! }), [add, title]);
  return (
    <section
      ref={section}
      id={add && title.toLowerCase().replaceAll(' ', '-')}
      tabIndex={add && -1}
      aria-labelledby={id}
      className="scroll-mt-10 border-b border-line py-6 outline-none last:border-b-0 xl:scroll-mt-0"
    >
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
