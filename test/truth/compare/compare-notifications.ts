import type { Notice } from '../product/notices.ts';
import type { Shown } from '../product/shown.ts';
import type { Differences } from './differences.ts';

const day = 24 * 3_600_000;

/**
 * With a rule each incident is notified once, and its recovery once. An incident without a failure of the last day is no news. The
 * incidents themselves are compared with the model.
 */
export function compareNotifications(
  notices: readonly Notice[],
  { incidents }: Shown,
  { now, hasRule, hasRenamedForks }: { now: number; hasRule: boolean; hasRenamedForks: boolean },
  differences: Differences,
): void {
  // A process that is killed while it sends leaves the notification to the next one, which sends it with the same id.
  const once = [...new Map(notices.map((notice) => [notice.webhookId, notice])).values()];
  const textOf = ({ type, incidentId }: Pick<Notice, 'type' | 'incidentId'>): string =>
    `${type} ${incidentId}`;
  // A slow product tells of an incident under an earlier name of its fork. It becomes part of another one, which then counts as told.
  const isShown = new Set(incidents.map(({ incidentId }) => incidentId));
  const kept = once.filter(({ incidentId }) => isShown.has(incidentId) || !hasRenamedForks);
  const sent = kept.map(textOf);
  const expected = incidents.flatMap(({ incidentId, closeReason, lastFailure }) => {
    const opened = textOf({ type: 'incident.opened', incidentId });
    const isNews = hasRule && Date.parse(lastFailure.at) >= now - day;
    if (!isNews && !(hasRule && sent.includes(opened))) return [];
    if (closeReason === 'recovered') return [opened, textOf({ type: 'incident.closed', incidentId })];
    // An incident whose pull request ends within the seconds before its notification is nobody's concern.
    return closeReason === null || sent.includes(opened) ? [opened] : [];
  });
  const wereMerged = kept.length < once.length;
  differences.sameSet(
    'notifications',
    sent,
    expected.filter((each) => !wereMerged || sent.includes(each)),
  );
}
