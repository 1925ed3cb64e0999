import { Link } from '@tanstack/react-router';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import type { LogGroup } from './log-search.ts';

const pages = {
  run: { to: '/integrations/$integrationId/runs', label: 'View runs' },
  run_action: { to: '/integrations/$integrationId/runs', label: 'View runs' },
  failure: { to: '/integrations/$integrationId/failures', label: 'View failures' },
  deployment: { to: '/integrations/$integrationId/health', label: 'View health' },
  incident: { to: '/integrations/$integrationId/incidents', label: 'View incidents' },
  alert: { to: '/integrations/$integrationId/rules', label: 'View rules' },
  rule: { to: '/integrations/$integrationId/rules', label: 'View rules' },
  member: { to: '/integrations/$integrationId/members', label: 'View members' },
  invitation: { to: '/integrations/$integrationId/members', label: 'View invitations' },
  token: { to: '/integrations/$integrationId/settings', label: 'View API tokens' },
  share_link: { to: '/integrations/$integrationId/settings', label: 'View share links' },
  badge: { to: '/integrations/$integrationId/settings', label: 'View badges' },
  integration: { to: '/integrations/$integrationId/settings', label: 'View settings' },
  forge_app: { to: '/integrations/$integrationId/settings', label: 'View settings' },
  forge_connection: { to: '/integrations/$integrationId/settings', label: 'View settings' },
  deliveries: { to: '/integrations/$integrationId/deliveries', label: 'View deliveries' },
  dead_letters: { to: '/integrations/$integrationId/dead-letters', label: 'View dead letters' },
  tasks: { to: '/integrations/$integrationId/settings/background-work', label: 'View background work' },
  webhook_subscription: { to: '/integrations/$integrationId/settings', label: 'View outgoing webhooks' },
  outgoing_webhook: { to: '/integrations/$integrationId/settings', label: 'View outgoing webhooks' },
  trace_export: { to: '/integrations/$integrationId/settings', label: 'View settings' },
  repository: { to: '/integrations/$integrationId/runs', label: 'View runs' },
  test_report: { to: '/integrations/$integrationId/runs', label: 'View runs' },
  test: { to: '/integrations/$integrationId/runs', label: 'View runs' },
} as const satisfies Record<LogGroup, { to: string; label: string }>;

const look = 'inline-flex h-7 items-center px-1 text-accent underline pointer-coarse:h-9';

/** Links to the run of an entry, or to the page about its subject. */
export function RelatedPage({ integrationId, entry }: { integrationId: string; entry: LogEntry }) {
  const { runId } = entry.details;
  if (typeof runId === 'number')
    return (
      <Link
        to="/integrations/$integrationId/runs/$runId"
        params={{ integrationId, runId: String(runId) }}
        className={look}
      >
        View run
      </Link>
    );
  if (entry.type === 'deliveries.rejected')
    return (
      <Link
        to="/integrations/$integrationId/deliveries"
        params={{ integrationId }}
        search={{ verdict: 'refused' }}
        className={look}
      >
        View refused deliveries
      </Link>
    );
  const receiverId = entry.details['receiverId'] ?? entry.details['subscriptionId'];
  if (typeof receiverId === 'string' && entry.type !== 'webhook_subscription.deleted')
    return (
      <Link
        to="/integrations/$integrationId/settings/webhooks/$receiverId"
        params={{ integrationId, receiverId }}
        className={look}
      >
        View delivery log
      </Link>
    );
  const group = entry.type.split('.')[0] as LogGroup;
  const { to, label } = pages[group];
  return (
    <Link to={to} params={{ integrationId }} className={look}>
      {label}
    </Link>
  );
}
