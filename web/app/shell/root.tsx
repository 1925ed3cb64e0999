import { Outlet, useRouter } from '@tanstack/react-router';
import { Suspense, useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { session } from '../../api/session/browser-session.ts';
import { SessionNotice } from '../../identity/session-notice.tsx';
import { useSamePerson } from '../../identity/use-same-person.ts';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { Toasts } from '../../ui/dialog/toast.tsx';
import { usePaletteKey } from '../palette/palette-key.ts';

const CommandPalette = lazyPart(
  'command-palette',
  async () => (await import('../palette/command-palette.tsx')).CommandPalette,
);

/** What is everywhere: the way to the sign-in page and back, notices, and the command palette. */
export function Root() {
  useSignInWhenNeeded();
  useSamePerson();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const toggle = useCallback(() => setPaletteOpen((isOpen) => !isOpen && !isWindowOpen()), []);
  const open = useCallback(() => setPaletteOpen(true), []);
  usePaletteKey(toggle, open);
  return (
    <div className="flex h-full flex-col">
      <SessionNotice />
      <div className="relative min-h-0 grow overflow-y-auto">
        <Outlet />
      </div>
      <Suspense>{isPaletteOpen && <CommandPalette onClose={() => setPaletteOpen(false)} />}</Suspense>
      <Toasts />
    </div>
  );
}

function isWindowOpen(): boolean {
  return document.querySelector('[role=dialog]') !== null;
}

/** A session that ended leads to the sign-in page, and one that began in another tab leads back from it. */
function useSignInWhenNeeded(): void {
  const router = useRouter();
  const state = useSyncExternalStore(session.onState, () => session.state);
  useEffect(() => {
    const { pathname, href, search } = router.state.location;
    const isAtSignIn = pathname === '/sign-in';
    if (state === 'over' && !isAtSignIn) {
      void router.navigate({ to: '/sign-in', search: href === '/' ? {} : { to: href }, replace: true });
    }
    // Loaded anew, since it may be somebody else who signed in.
    if (state === 'good' && isAtSignIn) location.replace((search as { to?: string }).to ?? '/');
  }, [router, state]);
}
