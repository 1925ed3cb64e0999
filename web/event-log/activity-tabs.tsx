import { Link } from '@tanstack/react-router';

const tabs = [
  { to: '/integrations/$integrationId/event-log', label: 'Event log' },
  { to: '/integrations/$integrationId/deliveries', label: 'Deliveries' },
  { to: '/integrations/$integrationId/dead-letters', label: 'Dead letters' },
] as const;

/** Tabs for the event log, the deliveries and the dead letters. */
export function ActivityTabs({ integrationId }: { integrationId: string }) {
  return (
    <nav aria-label="Event log" className="flex gap-4 border-b border-line px-4">
      {tabs.map(({ to, label }) => (
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
