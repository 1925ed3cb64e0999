import PanelLeft from 'lucide-react/icons/panel-left';
import { use, useEffect, useRef, type ReactNode } from 'react';
import { IconButton } from '../button.tsx';
import { PageFrame } from './page-frame.ts';

/** The header of a page: title, filters and status. */
export function PageHeader({
  title,
  children,
  end,
}: {
  title: ReactNode;
  children?: ReactNode;
  end: ReactNode;
}) {
  const { openSidebar } = use(PageFrame);
  return (
    <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-surface px-4 py-2">
      <IconButton label="Open the menu" className="-ml-2 lg:hidden" onClick={openSidebar}>
        <PanelLeft size={17} aria-hidden />
      </IconButton>
      {title}
      {end && <div className="ml-auto flex items-center gap-4 md:order-last">{end}</div>}
      {children && (
        <div className="flex w-full min-w-0 flex-wrap items-center gap-x-1.5 gap-y-2 md:w-auto md:flex-1 md:gap-2">
          {children}
        </div>
      )}
    </header>
  );
}

export function PageTitle({ children }: { children: string }) {
  useDocumentTitle(children);
  return <h1 className="text-lg font-semibold">{children}</h1>;
}

/** The title of one item of a list, such as a run. Keyboard and screen reader users continue at it. */
export function NumberedTitle({ title, number }: { title: string; number: number | string | null }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const end = number === null ? '' : ` #${number}`;
  useDocumentTitle(title + end);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <h1
      ref={heading}
      tabIndex={-1}
      // Two lines on a phone, so that a title that arrives late moves nothing.
      className="flex min-w-0 grow basis-40 items-center text-lg font-semibold outline-none max-md:min-h-[2lh] md:basis-0"
    >
      <span className="min-w-0 wrap-anywhere max-md:line-clamp-2 md:truncate">
        <bdi>{title}</bdi>
        <span className="font-normal text-muted">{end}</span>
      </span>
    </h1>
  );
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Forgewatch`;
  }, [title]);
}
