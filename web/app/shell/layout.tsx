import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useUpdates } from '../../api/live/live.tsx';
import { NoAccess } from '../../integrations/no-access.tsx';
import { useIntegrations } from '../../integrations/use-integration.ts';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { PageFrame } from '../../ui/page/page-frame.ts';
import { useMedia } from '../../ui/theme/use-media.ts';
import { useGoKeys } from '../../ui/keyboard/use-go-keys.ts';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';
import { pages } from './pages.ts';
import { Sidebar } from './sidebar.tsx';

const route = getRouteApi('/integrations/$integrationId');
const Sheet = lazyPart('dialog', 'Dialog', () => import('../../ui/dialog/dialog.tsx'));
const ShortcutList = lazyPart('shortcut-list', 'ShortcutList', () => import('./shortcut-list.tsx'));

/** The frame around every page of an integration. */
export function Layout() {
  const { integrationId } = route.useParams();
  const [isSheetOpen, setSheetOpen] = useState(false);
  const [isListOpen, setListOpen] = useState(false);
  // Otherwise the sidebar opens from the page header.
  const hasRoom = useMedia('(width >= 64rem)');
  useShortcuts({ '?': () => setListOpen(true) });
  useLetters(integrationId);
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
      <SkipLink />
      <div className="flex h-full">
        {hasRoom && (
          <aside aria-label="Sidebar" className="w-53 shrink-0 border-r border-line">
            {sidebar}
          </aside>
        )}
        <main id="page" tabIndex={-1} className="flex min-w-0 grow flex-col outline-none">
          <OwnIntegration integrationId={integrationId} />
        </main>
      </div>
      {isSheetOpen && (
        <Sheet title="Menu" place="side" onClose={() => setSheetOpen(false)}>
          {sidebar}
        </Sheet>
      )}
      {isListOpen && <ShortcutList onClose={() => setListOpen(false)} />}
    </PageFrame>
  );
}

/** Shows the page when the person is a member of the integration. */
function OwnIntegration({ integrationId }: { integrationId: string }) {
  const reading = useIntegrations();
  const isOwn = reading.data?.some((one) => one.integrationId === integrationId) ?? false;
  return (
    <Loaded reading={reading} what="integration" skeletonRows={12}>
      {() => (isOwn ? <FollowedPage integrationId={integrationId} /> : <NoAccess />)}
    </Loaded>
  );
}

/** Keeps a connection open on every page, because it reports removal and role changes. */
function FollowedPage({ integrationId }: { integrationId: string }) {
  useUpdates(integrationId, { onUpdates: () => {}, onResync: () => {} });
  return <Outlet />;
}

function useLetters(integrationId: string): void {
  const navigate = useNavigate();
  useGoKeys((letter) => {
    if (letter === 'h') {
      void navigate({ to: '/' });
      return true;
    }
    const page = pages.find((one) => one.letter === letter);
    if (page === undefined) return false;
    void navigate({ to: page.to, params: { integrationId } });
    return true;
  });
}

/** The first element in tab order. It skips the sidebar. */
function SkipLink() {
  return (
    <a
      href="#page"
      className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
    >
      Skip to content
    </a>
  );
}
