import type { Notice } from '../product/notices.ts';
import type { Shown } from '../product/shown.ts';
import type { Differences } from './differences.ts';

/** Each incident is notified once, and its recovery once. The incidents themselves are compared with the model. */
export function compareNotifications(
  notices: readonly Notice[],
  { incidents }: Shown,
  differences: Differences,
): void {
  // A process that is killed while it sends leaves the notification to the next one, which sends it with the same id.
  const once = [...new Map(notices.map((notice) => [notice.webhookId, notice])).values()];
  const textOf = ({ type, incidentId }: Omit<Notice, 'webhookId'>): string => `${type} ${incidentId}`;
  const sent = once.map(textOf);
  differences.sameSet(
    'notifications',
    sent,
    incidents.flatMap(({ incidentId, closeReason }) => {
      const opened = textOf({ type: 'incident.opened', incidentId });
      if (closeReason === 'recovered') return [opened, textOf({ type: 'incident.closed', incidentId })];
      // An incident whose pull request ends within the seconds before its notification is nobody's concern.
      return closeReason === null || sent.includes(opened) ? [opened] : [];
    }),
  );
}
