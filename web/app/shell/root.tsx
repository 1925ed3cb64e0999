import { Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { useCallback, useEffect, useState, useSyncExternalStore, useRef } from 'react';
import { session } from '../../api/session/browser-session.ts';
import { SessionNotice } from '../../identity/session-notice.tsx';
import { useSamePerson } from '../../identity/use-same-person.ts';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { useShown } from '../../ui/page/use-shown.ts';
import { usePaletteKey } from '../palette/palette-key.ts';

const CommandPalette = lazyPart(
  'command-palette',
  'CommandPalette',
  () => import('../palette/command-palette.tsx'),
);
const Toasts = lazyPart('toasts', 'Toasts', () => import('../../ui/dialog/toasts.tsx'));

/** The root of all pages: sign-in redirects, notices and the command palette. */
export function Root() {
  useSignInWhenNeeded();
  useSamePerson();
  useFocusOnNewPage();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const toggle = useCallback(() => setPaletteOpen((isOpen) => !isOpen && !isWindowOpen()), []);
  const open = useCallback(() => setPaletteOpen(true), []);
  usePaletteKey(toggle, open);
  const isShown = useShown();
  return (
    <div className="flex h-full flex-col">
      <div className="relative min-h-0 grow overflow-y-auto">
        <Outlet />
      </div>
      <div className="relative">{isShown && <Toasts />}</div>
      <SessionNotice />
      {isPaletteOpen && <CommandPalette onClose={() => setPaletteOpen(false)} />}
    </div>
  );
}

function isWindowOpen(): boolean {
  return document.querySelector('[role=dialog]') !== null;
}

/** Opens the sign-in page when the session ends, and leaves it when a session starts in another tab. */
function useSignInWhenNeeded(): void {
  const router = useRouter();
  const state = useSyncExternalStore(session.onState, () => session.state);
  const href = useRouterState({ select: ({ location }) => location.href });
  const isAtSignIn = href.startsWith('/sign-in');
  const wasSignedIn = useRef(false);
  useEffect(() => {
    if (state === 'over' && !isAtSignIn) {
      const search = {
        ...(href !== '/' && { to: href }),
        ...(wasSignedIn.current && { error: 'unauthenticated' }),
      };
      void router.navigate({ to: '/sign-in', search, replace: true });
    }
    if (state !== 'unknown') wasSignedIn.current = state !== 'over';
  }, [router, state, href, isAtSignIn]);
  useEffect(() => {
    const { to = '/' } = router.state.location.search as { to?: string };
    // A full reload, because another person may have signed in.
    if (state === 'good' && isAtSignIn) location.replace(to);
  }, [router, state, isAtSignIn]);
}

/**
 * Moves the focus of keyboards and screen readers to a new page, unless it is there, or in a menu or dialog that was opened meanwhile. The
 * first page begins at its start.
 */
function useFocusOnNewPage(): void {
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
