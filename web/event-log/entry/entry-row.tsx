import { Link } from '@tanstack/react-router';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import { TimeAgo } from '../../ui/time/time.tsx';
import { rowId } from './use-entry-keys.ts';
import { SeverityIcon, severities } from './severity.tsx';

/** One entry of the list. Opening it shows its details and marks it as read. */
export function EntryRow({ entry, openId }: { entry: LogEntry; openId: string | undefined }) {
  const { entryId, severity, title, actor, at, read } = entry;
  return (
    <li className="border-b border-line">
      <Link
        from="/integrations/$integrationId/event-log"
        to="."
        search={(search) => ({ ...search, open: entryId })}
        // Moving between entries is one history step, so that going back restores the list.
        replace={openId !== undefined}
        state={(state) => (openId === undefined ? { isFromList: true } : state)}
        id={rowId(entryId)}
        data-log-row
        className="flex items-start gap-2.5 px-4 py-2 hover:bg-hover focus-visible:bg-selected focus-visible:-outline-offset-2 data-[status=active]:bg-selected"
      >
        <span className="mt-1.5 size-2 shrink-0">
          {!read && (
            <span className="block size-2 rounded-full bg-accent forced-color-adjust-none">
              <span className="sr-only">Unread. </span>
            </span>
          )}
        </span>
        <SeverityIcon severity={severity} className="mt-0.5" />
        <span className="min-w-0 grow">
          <span className="sr-only">{severities[severity].word}: </span>
          <bdi className={`line-clamp-2 break-words ${read ? '' : 'font-semibold'}`}>{title}</bdi>
          <span className="block text-xs text-muted">
            <bdi>{nameOf(actor)}</bdi>
          </span>
        </span>
        <span className="shrink-0 text-muted">
          <TimeAgo time={at} />
        </span>
      </Link>
    </li>
  );
}

/** The name of the actor. */
export function nameOf(actor: LogEntry['actor']): string {
  return actor === null ? 'Forgewatch' : (actor.name ?? 'Deleted user');
}
