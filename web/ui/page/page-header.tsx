import PanelLeft from 'lucide-react/icons/panel-left';
import { use, useEffect, type ReactNode } from 'react';
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
        <div className="flex w-full min-w-0 flex-wrap items-center gap-2 md:w-auto md:flex-1">{children}</div>
      )}
    </header>
  );
}

export function PageTitle({ children }: { children: string }) {
  useDocumentTitle(children);
  return <h1 className="text-lg font-semibold">{children}</h1>;
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Forgewatch`;
  }, [title]);
}
