import { Link } from '@tanstack/react-router';
import Activity from 'lucide-react/icons/activity';
import type { ReactNode } from 'react';
import { HasMargins } from './has-margins.ts';
import { useDocumentTitle } from './page-header.tsx';
import { ThemeSwitch } from '../theme/theme-switch.tsx';

/** A page outside of integrations: one column below the product name. */
export function PlainPage({
  title,
  end,
  isWide = false,
  children,
}: {
  title: string;
  /** For lists instead of texts and forms. */
  isWide?: boolean;
  /** At the end of the header, for example a link back. */
  end?: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(title);
  return (
    <div className="flex min-h-full flex-col">
      <header className="flex min-h-12 shrink-0 items-center gap-x-4 border-b border-line px-4 py-1">
        <Link to="/" className="flex shrink-0 items-center gap-2 rounded-md text-base font-semibold">
          <Activity size={17} aria-hidden />
          <span className="max-[24rem]:sr-only">Forgewatch</span>
        </Link>
        {/* A phone has no room for the name of the person, a small one none for that of the product. */}
        <div className="ml-auto flex min-w-0 items-center gap-2 max-sm:[&_bdi]:sr-only">
          {end}
          <ThemeSwitch />
        </div>
      </header>
      <main
        tabIndex={-1}
        className={`mx-auto w-full grow px-4 outline-none ${isWide ? 'max-w-7xl py-4' : 'max-w-2xl py-8'}`}
      >
        <h1 className="text-lg font-semibold">{title}</h1>
        <HasMargins value>{children}</HasMargins>
      </main>
    </div>
  );
}
