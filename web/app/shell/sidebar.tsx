import { Link, useRouterState } from '@tanstack/react-router';
import House from 'lucide-react/icons/house';
import Keyboard from 'lucide-react/icons/keyboard';
import { AccountLink } from '../../identity/account-link.tsx';
import { IntegrationSwitcher } from '../../integrations/integration-switcher.tsx';
import { IconButton } from '../../ui/button.tsx';
import { ThemeSwitch } from '../../ui/theme/theme-switch.tsx';
import { openPalette } from '../palette/palette-key.ts';
import { activityPages, integrationPages, type PageEntry } from './pages.ts';

/** The current integration, its pages and global controls. */
export function Sidebar({
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
