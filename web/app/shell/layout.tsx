import { getRouteApi, Outlet, useNavigate, Link, useRouterState } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import House from 'lucide-react/icons/house';
import Keyboard from 'lucide-react/icons/keyboard';
import { useUpdates } from '../../api/live/live.tsx';
import { NoAccess } from '../../integrations/no-access.tsx';
import { useIntegrations } from '../../integrations/use-integration.ts';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { PageFrame } from '../../ui/page/page-frame.ts';
import { useMedia } from '../../ui/theme/use-media.ts';
import { useGoKeys } from '../../ui/keyboard/use-go-keys.ts';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';
import { AccountLink } from '../../identity/account-link.tsx';
import { IntegrationSwitcher } from '../../integrations/integration-switcher.tsx';
import { IconButton } from '../../ui/button.tsx';
import { ThemeSwitch } from '../../ui/theme/theme-switch.tsx';
import { openPalette } from '../palette/palette-key.ts';
import { pages, activityPages, integrationPages, type PageEntry } from './pages.ts';

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

/** The current integration, its pages and global controls. */
function Sidebar({
  integrationId,
  onLeave,
  onShowShortcuts,
}: {
  integrationId: string;
  /** Called when a page is chosen. */
  onLeave: () => void;
  onShowShortcuts: () => void;
}) {
  const linkTo = (page: PageEntry) => (
    <PageLink key={page.to} page={page} integrationId={integrationId} onChosen={onLeave} />
  );
  return (
    <div className="flex h-full flex-col gap-2 overflow-y-auto p-2">
      <Link
        to="/"
        className="flex h-7 shrink-0 items-center gap-2.5 rounded-md px-2 text-muted hover:bg-hover pointer-coarse:h-10"
        aria-keyshortcuts="g h"
        onClick={onLeave}
      >
        <House size={16} aria-hidden />
        Home
      </Link>
      <IntegrationSwitcher integrationId={integrationId} onChosen={onLeave} />
      <nav aria-label="Pages" className="flex grow flex-col gap-0.5">
        {activityPages.map(linkTo)}
        <h2 className="mt-3 px-2 pb-1 text-xs font-semibold text-faint">Integration</h2>
        {integrationPages.map(linkTo)}
      </nav>
      <button
        type="button"
        className="flex h-7 items-center gap-2 rounded-md px-2 text-left text-muted hover:bg-hover pointer-coarse:h-10"
        onClick={() => {
          onLeave();
          openPalette();
        }}
      >
        Command
        <kbd className="rounded border border-line-strong px-1 font-mono text-2xs">Ctrl K</kbd>
      </button>
      <AccountLink onChosen={onLeave} />
      <div className="flex items-center justify-between">
        <ThemeSwitch />
        <IconButton label="Keyboard shortcuts" aria-keyshortcuts="?" onClick={onShowShortcuts}>
          <Keyboard size={16} aria-hidden />
        </IconButton>
      </div>
    </div>
  );
}

function PageLink({
  page: { to, label, Icon, Count, holds = [] },
  integrationId,
  onChosen,
}: {
  page: PageEntry;
  integrationId: string;
  onChosen: () => void;
}) {
  const holdsOpen = useRouterState({
    select: ({ location }) => holds.includes(location.pathname.split('/')[3] ?? ''),
  });
  return (
    <Link
      to={to}
      params={{ integrationId }}
      data-open={holdsOpen || undefined}
      className="flex h-7 shrink-0 items-center gap-2.5 rounded-md px-2 text-muted hover:bg-hover data-open:bg-hover data-open:font-semibold data-open:text-text data-[status=active]:bg-hover data-[status=active]:font-semibold data-[status=active]:text-text pointer-coarse:h-10"
      onClick={onChosen}
    >
      <Icon size={16} aria-hidden />
      <span className="grow">{label}</span>
      {Count && <Count integrationId={integrationId} />}
    </Link>
  );
}
