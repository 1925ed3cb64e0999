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
        className="flex min-h-[34px] items-center gap-2.5 px-4 py-1.5 hover:bg-hover focus-visible:bg-selected focus-visible:-outline-offset-2 data-[status=active]:bg-selected"
      >
        <span className="size-2 shrink-0">
          {!read && (
            <span className="block size-2 rounded-full bg-accent forced-color-adjust-none">
              <span className="sr-only">Unread. </span>
            </span>
          )}
        </span>
        <SeverityIcon severity={severity} />
        <span className="min-w-0 grow">
          <span className="sr-only">{severities[severity].word}: </span>
          {/* One line beside an open entry, so that opening it moves no row. */}
          <bdi className={`line-clamp-2 break-words lg:line-clamp-1 ${read ? '' : 'font-semibold'}`}>
            {title}
          </bdi>
          {actor !== null && (
            <span className="block text-xs text-muted lg:hidden">
              <bdi>{nameOf(actor)}</bdi>
            </span>
          )}
        </span>
        {actor !== null && (
          <span className="max-w-40 shrink-0 truncate text-muted max-lg:hidden">
            <bdi>{nameOf(actor)}</bdi>
          </span>
        )}
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
