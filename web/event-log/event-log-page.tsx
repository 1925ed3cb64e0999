import type { ReactNode } from 'react';
import ArrowLeft from 'lucide-react/icons/arrow-left';
import CheckCheck from 'lucide-react/icons/check-check';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { PageError } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { NoMatches } from '../ui/page/no-matches.tsx';
import { NewRows, useHeld, useHold } from '../ui/table/held-rows.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { useMedia } from '../ui/theme/use-media.ts';
import { ActivityTabs } from './activity-tabs.tsx';
import { EntryPane } from './entry/entry-pane.tsx';
import { EntryRow } from './entry/entry-row.tsx';
import { holdNewer, keepOpen, type HeldEntries } from './keep-open.ts';
import { LogFilters } from './log-filters.tsx';
import { emptyFilter, mayHideUnread, type LogFilter, type LogSearch } from './log-search.ts';
import { useEntryKeys } from './entry/use-entry-keys.ts';
import { useEntry, useEventLog, useMarks } from './use-event-log.ts';

const noEntries: readonly LogEntry[] = [];
const hiddenReason = 'This would also mark entries that the filters hide. Clear the filters first';

/** The event log: a list of entries, and beside it the open one. On narrow screens the entry replaces the list. */
export function EventLogPage({
  integrationId,
  search: { open: openId, ...filter },
  onFilter,
  onOpen,
  onClose,
}: {
  integrationId: string;
  search: LogSearch;
  onFilter: (change: LogFilter, isTyping?: boolean) => void;
  /** Called to open another entry. */
  onOpen: (entryId: string) => void;
  onClose: () => void;
}) {
  const log = useEventLog(integrationId, filter);
  const open = useEntry(integrationId, openId, log.reading.data);
  const { onMark, all, error } = useMarks(integrationId, openId);
  const { shown, release, reading } = useHeldEntries(log.reading.data, filter);
  const entries = filter.unread ? keepOpen(shown.rows, open.data) : shown.rows;
  useEntryKeys({ entries, openId, onOpen, onClose });
  const hasRoom = useMedia('(width >= 64rem)');
  const isAlone = openId !== undefined && !hasRoom;
  return (
    <>
      <LogHeader
        isAlone={isAlone}
        filter={filter}
        newest={log.newest}
        markAll={all}
        onFilter={onFilter}
        onClose={onClose}
      />
      {!isAlone && <ActivityTabs integrationId={integrationId} />}
      <PageError error={error} />
      <div className="flex min-h-0 grow">
        <EntryList
          isHidden={isAlone}
          log={log}
          entries={entries}
          newRows={<NewRows count={shown.waiting} onShow={release} className="top-2" />}
          whileReading={reading}
          openId={openId}
          isNarrowed={Object.values(filter).some((value) => value !== undefined)}
          onClear={() => onFilter(emptyFilter)}
        />
        {openId !== undefined && (
          <EntryPane
            integrationId={integrationId}
            openId={openId}
            reading={open}
            onMark={onMark}
            onClose={onClose}
          />
        )}
      </div>
    </>
  );
}

/** While a person reads the list, newer entries wait. */
function useHeldEntries(loaded: readonly LogEntry[] | undefined, filter: LogFilter) {
  const { isHeld, reading } = useHold();
  const held = useHeld<readonly LogEntry[], HeldEntries>({
    current: loaded ?? noEntries,
    isHeld,
    scope: JSON.stringify(filter),
    all: (rows) => ({ rows, waiting: 0 }),
    hold: holdNewer,
  });
  return { ...held, reading };
}

/** While an entry replaces the list: only the title and the way back. */
function LogHeader({
  isAlone,
  filter,
  newest,
  markAll,
  onFilter,
  onClose,
}: {
  isAlone: boolean;
  filter: LogFilter;
  newest: ReturnType<typeof useEventLog>['newest'];
  markAll: ReturnType<typeof useMarks>['all'];
  onFilter: (change: LogFilter, isTyping?: boolean) => void;
  onClose: () => void;
}) {
  const newestAt = newest?.items[0]?.at;
  return (
    <PageHeader
      title={
        <>
          {isAlone && (
            <IconButton label="Back to the list" className="-ml-1" onClick={onClose}>
              <ArrowLeft size={17} aria-hidden />
            </IconButton>
          )}
          <PageTitle>Event log</PageTitle>
        </>
      }
      end={
        !isAlone && (
          <Button
            reason={mayHideUnread(filter) ? hiddenReason : undefined}
            disabled={newestAt === undefined || newest?.unread === 0 || markAll.isPending}
            onClick={() => newestAt !== undefined && markAll.mutate(newestAt)}
          >
            <CheckCheck size={15} aria-hidden />
            Mark all as read
          </Button>
        )
      }
    >
      {!isAlone && <LogFilters filter={filter} onChange={onFilter} />}
    </PageHeader>
  );
}

function EntryList({
  isHidden,
  log: { reading, more, isReadingMore },
  entries,
  newRows,
  whileReading,
  openId,
  isNarrowed,
  onClear,
}: {
  isHidden: boolean;
  log: ReturnType<typeof useEventLog>;
  entries: readonly LogEntry[];
  newRows: ReactNode;
  whileReading: ReturnType<typeof useHold>['reading'];
  openId: string | undefined;
  isNarrowed: boolean;
  onClear: () => void;
}) {
  return (
    <div
      hidden={isHidden}
      className={`relative flex min-w-0 flex-col ${openId === undefined ? 'grow' : 'border-line max-lg:grow lg:w-2/5 lg:shrink-0 lg:border-r'}`}
      {...whileReading}
    >
      {newRows}
      <div className="min-h-0 overflow-y-auto pb-16">
        <Loaded reading={reading} what="event log">
          {() =>
            entries.length === 0 ? (
              <NothingHere isNarrowed={isNarrowed} onClear={onClear} />
            ) : (
              <>
                <ul aria-label="Entries">
                  {entries.map((entry) => (
                    <EntryRow key={entry.entryId} entry={entry} openId={openId} />
                  ))}
                </ul>
                <MoreButton more={more} isPending={isReadingMore} />
              </>
            )
          }
        </Loaded>
      </div>
    </div>
  );
}

function NothingHere({ isNarrowed, onClear }: { isNarrowed: boolean; onClear: () => void }) {
  if (!isNarrowed)
    return (
      <Message title="No entries yet">
        <p className="text-muted">Failures, notifications and changes to members and settings appear here.</p>
      </Message>
    );
  return <NoMatches what="entries" onClear={onClear} />;
}
