import { severities, type EntryGroup, type Severity } from '#contract/deliveries/event-log.ts';
import { readText } from '../app/search-values.ts';

export interface LogFilter {
  q?: string | undefined;
  /** A group of types, for example `member`. */
  type?: LogGroup | undefined;
  severity?: Severity | undefined;
  unread?: true | undefined;
}

export interface LogSearch extends LogFilter {
  /** The open entry. */
  open?: string | undefined;
}

export const emptyFilter: LogFilter = {
  q: undefined,
  type: undefined,
  severity: undefined,
  unread: undefined,
};

/** Whether the filter may hide unread entries. */
export function mayHideUnread({ q, type, severity }: LogFilter): boolean {
  return q !== undefined || type !== undefined || severity !== undefined;
}

export const logGroups = {
  run: 'Failed runs',
  failure: 'Failure groups',
  deployment: 'Deployments',
  run_action: 'Re-runs and cancellations',
  incident: 'Incidents',
  alert: 'Notifications',
  rule: 'Notification rules',
  member: 'Members',
  invitation: 'Invitations',
  token: 'API tokens',
  badge: 'Badges',
  share_link: 'Share links',
  integration: 'Settings',
  forge_app: 'Forge application',
  forge_connection: 'Forge access token',
  deliveries: 'Deliveries',
  dead_letters: 'Dead letters',
  tasks: 'Background work',
  webhook_subscription: 'Outgoing webhooks',
  outgoing_webhook: 'Replays of outgoing webhooks',
  trace_export: 'Export of traces and metrics',
  test_report: 'Test reports',
  test: 'Tests in quarantine',
  repository: 'New names',
} as const satisfies Record<EntryGroup, string>;
export type LogGroup = keyof typeof logGroups;

const maxLength = 255;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Reads the filters from an address. Drops values that the server would refuse. */
export function readLogSearch(search: Record<string, unknown>): LogSearch {
  const { q, type, severity, unread, open } = search;
  const words = readText(q, maxLength);
  const known = severities.find((each) => each === severity);
  return {
    ...(words === undefined ? {} : { q: words }),
    ...(typeof type === 'string' && Object.hasOwn(logGroups, type) ? { type: type as LogGroup } : {}),
    ...(known === undefined ? {} : { severity: known }),
    ...(unread === true || unread === 'true' ? { unread: true } : {}),
    ...(typeof open === 'string' && uuid.test(open) ? { open } : {}),
  };
}
