import { getRouteApi, Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { rememberIntegration } from '../integrations/last-integration.ts';
import { PageFrame } from '../ui/page-frame.ts';
import { useShortcuts } from '../ui/use-shortcuts.ts';
import { Sidebar } from './sidebar.tsx';

const route = getRouteApi('/integrations/$integrationId');
const Sheet = lazy(async () => ({ default: (await import('../ui/dialog.tsx')).Dialog }));
const ShortcutList = lazy(async () => ({ default: (await import('./shortcut-list.tsx')).ShortcutList }));

/** What stands around every page of an integration. */
export function Layout() {
  const { integrationId } = route.useParams();
  const [isSheetOpen, setSheetOpen] = useState(false);
  const [isListOpen, setListOpen] = useState(false);
  useEffect(() => rememberIntegration(integrationId), [integrationId]);
  useShortcuts({ '?': () => setListOpen(true) });
  const frame = useMemo(() => ({ openSidebar: () => setSheetOpen(true) }), []);
  const sidebar = (
    <Sidebar
      integrationId={integrationId}
      onLeave={() => setSheetOpen(false)}
      onShowShortcuts={() => {
        setSheetOpen(false);
        setListOpen(true);
      }}
    />
  );
  return (
    <PageFrame value={frame}>
      <a
        href="#page"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the page
      </a>
      <div className="flex h-dvh">
        <aside aria-label="Sidebar" className="w-53 shrink-0 border-r border-line max-md:hidden">
          {sidebar}
        </aside>
        <main id="page" tabIndex={-1} className="flex min-w-0 grow flex-col outline-hidden">
          <Outlet />
        </main>
      </div>
      <Suspense>
        {isSheetOpen && (
          <Sheet title="Menu" place="side" isOpen onOpenChange={setSheetOpen}>
            {sidebar}
          </Sheet>
        )}
        {isListOpen && <ShortcutList onClose={() => setListOpen(false)} />}
      </Suspense>
    </PageFrame>
  );
}
