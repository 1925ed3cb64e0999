import { createContext, use, useCallback, useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { HasMargins } from './has-margins.ts';

/** The scrolling part of a page. `isNarrow` is for texts and forms, `hasIndex` for pages with many sections. */
export function PageBody({
  isNarrow = false,
  hasIndex = false,
  children,
}: {
  isNarrow?: boolean;
  hasIndex?: boolean;
  children: ReactNode;
}) {
  const content = <div className={isNarrow ? 'max-w-2xl px-4 pb-16' : 'pb-16'}>{children}</div>;
  return (
    // Relative, so that hidden texts for screen readers scroll with it instead of extending the page.
    <div className="relative min-h-0 grow overflow-y-auto">
      {hasIndex ? <Indexed>{content}</Indexed> : content}
    </div>
  );
}

interface Entry {
  title: string;
  section: HTMLElement;
}

/** Adds a section to the index of its page. Returns what removes it. */
const AddToIndex = createContext<((entry: Entry) => () => void) | undefined>(undefined);

/** Sections with links to them: a column beside them, or a line that scrolls where there is no space for one. */
function Indexed({ children }: { children: ReactNode }) {
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const add = useCallback((entry: Entry) => {
    setEntries((others) => [...others, entry].sort(inDocumentOrder));
    return () => setEntries((others) => others.filter((other) => other !== entry));
  }, []);
  return (
    <div className="xl:flex xl:items-start xl:gap-8">
      <nav
        aria-label="Sections"
        className="sticky top-0 z-10 flex min-h-10 items-center gap-4 overflow-x-auto border-b border-line bg-surface px-4 py-2 whitespace-nowrap xl:top-6 xl:order-last xl:min-w-0 xl:flex-col xl:items-start xl:gap-1 xl:border-b-0 xl:bg-transparent xl:p-0"
      >
        {entries.map(({ title, section }) => (
          <a
            key={section.id}
            href={`#${section.id}`}
            className="text-muted hover:text-text hover:underline"
            onClick={(event) => {
              event.preventDefault();
              section.scrollIntoView();
              section.focus({ preventScroll: true });
            }}
          >
            {title}
          </a>
        ))}
      </nav>
      <AddToIndex value={add}>{children}</AddToIndex>
    </div>
  );
}

function inDocumentOrder({ section }: Entry, other: Entry): number {
  return section.compareDocumentPosition(other.section) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
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
  const section = useRef<HTMLElement>(null);
  const add = use(AddToIndex);
  useEffect(() => add?.({ title, section: section.current! }), [add, title]);
  return (
    <section
      ref={section}
      id={add && title.toLowerCase().replaceAll(' ', '-')}
      tabIndex={add && -1}
      aria-labelledby={id}
      className="scroll-mt-10 border-b border-line py-6 outline-hidden last:border-b-0 xl:scroll-mt-0"
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
