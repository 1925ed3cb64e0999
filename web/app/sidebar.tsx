import { Link } from '@tanstack/react-router';
import Keyboard from 'lucide-react/icons/keyboard';
import ListChecks from 'lucide-react/icons/list-checks';
import { IntegrationSwitcher } from '../integrations/integration-switcher.tsx';
import { ThemeSwitch } from '../ui/theme-switch.tsx';
import { IconButton } from '../ui/button.tsx';

/** The open integration, its pages, and what concerns the whole app. */
export function Sidebar({
  integrationId,
  onLeave,
  onShowShortcuts,
}: {
  integrationId: string;
  /** A page was chosen. */
  onLeave: () => void;
  onShowShortcuts: () => void;
}) {
  return (
    <div className="flex h-full flex-col gap-2 p-2">
      <IntegrationSwitcher integrationId={integrationId} onChosen={onLeave} />
      <nav aria-label="Pages" className="grow">
        <Link
          to="/integrations/$integrationId/runs"
          params={{ integrationId }}
          className="flex h-7 items-center gap-2.5 rounded-md px-2 text-muted hover:bg-hover data-[status=active]:bg-hover data-[status=active]:font-semibold data-[status=active]:text-text pointer-coarse:h-10"
          onClick={onLeave}
        >
          <ListChecks size={16} aria-hidden />
          Workflow runs
        </Link>
      </nav>
      <div className="flex items-center justify-between">
        <ThemeSwitch />
        <IconButton label="Keyboard shortcuts" aria-keyshortcuts="?" onClick={onShowShortcuts}>
          <Keyboard size={16} aria-hidden />
        </IconButton>
      </div>
    </div>
  );
}
