import { useIsFetching } from '@tanstack/react-query';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { SkeletonRows } from '../../ui/table/skeleton.tsx';
import { AddToIndex, type IndexedSection } from '../../ui/page/page-body.tsx';

/** Sections with links to them: a column beside them, or a line that scrolls where there is no space for one. */
export function SectionIndex({ children }: { children: ReactNode }) {
  const [entries, setEntries] = useState<readonly IndexedSection[]>([]);
  const add = useCallback((entry: IndexedSection) => {
    setEntries((others) => [...others, entry].sort(inDocumentOrder));
    return () => setEntries((others) => others.filter((other) => other !== entry));
  }, []);
  const isReady = useFirstReads(entries.length > 0);
  return (
    <>
      {!isReady && <SkeletonRows label="Loading the settings" count={12} />}
      <div hidden={!isReady} className="xl:flex xl:items-start xl:gap-8">
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
        <div className="max-w-2xl grow px-4">
          <AddToIndex value={add}>{children}</AddToIndex>
        </div>
      </div>
    </>
  );
}

/** The page does not wait longer for one slow read. */
const mostWaitMs = 2000;

/** Whether the first reads of all sections ended. Before that, one that arrives would move those below it. */
function useFirstReads(isMounted: boolean): boolean {
  const reads = useIsFetching({
    predicate: ({ state }) => state.data === undefined && state.fetchFailureCount === 0,
  });
  const [isReady, setReady] = useState(false);
  if (isMounted && reads === 0 && !isReady) setReady(true);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), mostWaitMs);
    return () => clearTimeout(timer);
  }, []);
  return isReady;
}

function inDocumentOrder({ section }: IndexedSection, other: IndexedSection): number {
  return section.compareDocumentPosition(other.section) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}
