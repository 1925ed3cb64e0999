import { Link } from '@tanstack/react-router';
import { atLeast } from '#contract/roles.ts';
import { useIntegration } from '../integrations/use-integration.ts';

const tabs = [
  { to: '/integrations/$integrationId/event-log', label: 'Event log', minimum: 'viewer' },
  { to: '/integrations/$integrationId/deliveries', label: 'Deliveries', minimum: 'viewer' },
  { to: '/integrations/$integrationId/dead-letters', label: 'Dead letters', minimum: 'admin' },
] as const;

/** What happened, what the forge sent, and what could not be processed. */
export function ActivityTabs({ integrationId }: { integrationId: string }) {
  const role = useIntegration(integrationId)?.role ?? 'viewer';
  return (
    <nav aria-label="Event log" className="flex gap-4 border-b border-line px-4">
      {tabs
        .filter(({ minimum }) => atLeast(role, minimum))
        .map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={{ integrationId }}
            className="-mb-px border-b-2 border-transparent py-2 text-muted hover:text-text data-[status=active]:border-accent data-[status=active]:font-semibold data-[status=active]:text-text pointer-coarse:py-3"
          >
            {label}
          </Link>
        ))}
    </nav>
  );
}
