import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/**
 * Moves the focus of keyboards and screen readers to a new page, unless it is there, or in a menu or dialog that was opened meanwhile. The
 * first page begins at its start.
 */
export function useFocusOnNewPage(): void {
  const page = useRouterState({ select: ({ resolvedLocation }) => pageOf(resolvedLocation?.pathname) });
  const before = useRef(page);
  useEffect(() => {
    if (before.current !== undefined && before.current !== page) {
      const main = document.querySelector('main');
      const opened = document.activeElement?.closest('[data-open], [aria-expanded=true]') ?? null;
      if (opened === null && !main?.contains(document.activeElement)) main?.focus();
    }
    before.current = page;
  }, [page]);
}

/** The same for all items of a page, and in all integrations: `runs` for `/integrations/ID/runs/42`. */
function pageOf(pathname: string | undefined): string | undefined {
  const [, first, second, third] = pathname?.split('/') ?? [];
  return first === 'integrations' ? (third ?? second) : first;
}
