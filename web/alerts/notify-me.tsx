import { Link } from '@tanstack/react-router';
import Bell from 'lucide-react/icons/bell';
import { useIntegrationParams } from '../integrations/integration-params.ts';
import { linkLook } from '../ui/text/text-link.tsx';
import { iconLink } from '../ui/button.tsx';
import type { NotifySearch } from './notify-search.ts';

/** Opens a new rule about a workflow or an incident. `about` makes it an icon in a list. */
export function NotifyMe({ search, about }: { search: NotifySearch; about?: string }) {
  return (
    <Link
      to="/integrations/$integrationId/rules/new"
      params={useIntegrationParams()}
      search={search}
      {...(about !== undefined && { 'aria-label': `Notify me about ${about}`, title: 'Notify me' })}
      className={about === undefined ? linkLook : iconLink}
    >
      {about === undefined ? 'Notify me' : <Bell size={15} aria-hidden />}
    </Link>
  );
}
