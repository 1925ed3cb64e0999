import CheckCheck from 'lucide-react/icons/check-check';
import { severities } from '#contract/event-log.ts';
import { Button } from '../ui/button.tsx';
import { FilterMenu } from '../ui/filter-menu.tsx';
import { FormError } from '../ui/form.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Message } from '../ui/message.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { PageBody } from '../ui/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page-header.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { useShortcuts } from '../ui/use-shortcuts.ts';
import { ActivityTabs } from './activity-tabs.tsx';
import { EntryRow } from './entry-row.tsx';
import { logGroups, type LogGroup, type LogSearch } from './log-search.ts';
import { useEventLog, useMarks } from './use-event-log.ts';

const severityNames = { info: 'Information', warning: 'Warning', error: 'Error' } as const;

/** What happened in an integration, and what of it the person has not read. */
export function EventLogPage({
  integrationId,
  search,
  onSearch,
}: {
  integrationId: string;
  search: LogSearch;
  onSearch: (change: LogSearch, isTyping?: boolean) => void;
}) {
  const { reading, newest, more, isReadingMore } = useEventLog(integrationId, search);
  const { one, all } = useMarks(integrationId);
  useShortcuts({ j: () => focusRow(1), k: () => focusRow(-1) });
  const newestAt = newest?.items[0]?.at;
  const isNarrowed = Object.values(search).some((value) => value !== undefined);
  const error = one.error ?? all.error;
  return (
    <>
      <PageHeader
        title={<PageTitle>Event log</PageTitle>}
        end={
          <Button
            disabled={newestAt === undefined || newest?.unread === 0 || all.isPending}
            onClick={() => newestAt !== undefined && all.mutate(newestAt)}
          >
            <CheckCheck size={15} aria-hidden />
            Mark all read
          </Button>
        }
      >
        <LogFilters search={search} onSearch={onSearch} />
      </PageHeader>
      <ActivityTabs integrationId={integrationId} />
      <PageBody>
        {error !== null && (
          <div className="px-4 py-2">
            <FormError error={error} />
          </div>
        )}
        <Loaded reading={reading} what="event log">
          {(entries) =>
            entries.length === 0 ? (
              <NothingHere isNarrowed={isNarrowed} onClear={() => onSearch(emptySearch)} />
            ) : (
              <>
                <ul aria-label="Entries">
                  {entries.map((entry) => (
                    <EntryRow
                      key={entry.entryId}
                      entry={entry}
                      onMark={(read) => one.mutate({ entryId: entry.entryId, read })}
                    />
                  ))}
                </ul>
                <MoreButton more={more} isPending={isReadingMore} />
              </>
            )
          }
        </Loaded>
      </PageBody>
    </>
  );
}

const emptySearch: LogSearch = { q: undefined, type: undefined, severity: undefined, unread: undefined };

function LogFilters({
  search: { q, type, severity, unread },
  onSearch,
}: {
  search: LogSearch;
  onSearch: (change: LogSearch, isTyping?: boolean) => void;
}) {
  return (
    <search className="contents">
      <SearchField
        label="Search the log"
        value={q ?? ''}
        onChange={(text) => onSearch({ q: text.trim() === '' ? undefined : text }, true)}
      />
      <FilterMenu
        name="About"
        value={type}
        groups={[Object.entries(logGroups).map(([value, label]) => ({ value, label }))]}
        onChoose={(chosen) => onSearch({ type: chosen as LogGroup | undefined })}
      />
      <FilterMenu
        name="Severity"
        value={severity}
        groups={[severities.map((value) => ({ value, label: severityNames[value] }))]}
        onChoose={(chosen) => onSearch({ severity: severities.find((each) => each === chosen) })}
      />
      <button
        type="button"
        aria-pressed={unread === true}
        className={`inline-flex h-7 items-center rounded-full border border-line-strong px-2.5 pointer-coarse:h-9 ${
          unread === true ? 'bg-hover font-semibold' : 'border-dashed text-muted hover:bg-hover'
        }`}
        onClick={() => onSearch({ unread: unread === true ? undefined : true })}
      >
        Unread only
      </button>
    </search>
  );
}

function NothingHere({ isNarrowed, onClear }: { isNarrowed: boolean; onClear: () => void }) {
  if (!isNarrowed)
    return (
      <Message title="Nothing has happened yet">
        <p className="text-muted">Failures, alerts, and changes of members and settings appear here.</p>
      </Message>
    );
  return (
    <Message title="No entry passes the filters">
      <Button onClick={onClear}>Clear the filters</Button>
    </Message>
  );
}

/** `j` and `k` go from row to row. */
function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-log-row]')];
  const index = rows.findIndex((row) => row === document.activeElement);
  rows[Math.max(0, Math.min(rows.length - 1, index + step))]?.focus();
}
