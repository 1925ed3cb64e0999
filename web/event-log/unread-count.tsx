import { maxUnread } from '#contract/deliveries/event-log.ts';
import { useUnread } from './use-event-log.ts';

/** The number of unread entries, for the sidebar. */
export function UnreadCount({ integrationId }: { integrationId: string }) {
  const unread = useUnread(integrationId) ?? 0;
  if (unread === 0) return null;
  return (
    <span className="ml-auto text-xs text-muted">
      {unread >= maxUnread ? `${maxUnread - 1}+` : unread}
      <span className="sr-only"> unread</span>
    </span>
  );
}
