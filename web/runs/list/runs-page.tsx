import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import type { WorkflowRunCount } from '#contract/runs/runs.ts';
import { useIsAway } from '../../api/contact/browser-contact.ts';
import { PullRequestHits } from '../../pull-requests/pull-request-hits.tsx';
import { ViewMenu } from '../../saved-views/view-menu.tsx';
import type { Reading } from '../../ui/page/loaded.tsx';
import { Button } from '../../ui/button.tsx';
import { ConnectionMark } from '../../ui/connection-mark.tsx';
import { Failure, FailureLine, Message } from '../../ui/page/message.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { SkeletonRows } from '../../ui/table/skeleton.tsx';
import { RunsToolbar } from '../filter/runs-toolbar.tsx';
import type { ChangeFilter } from '../filter/facet-filter.tsx';
import { SearchNote } from '../filter/search-note.tsx';
import { formatNumber } from '../../ui/locale.ts';
import { getJson } from '../../api/client.ts';
import { readEvery } from '../../api/read-every.ts';
import { queryString } from '../../api/query-string.ts';
import { maxRows, type RunList } from './run-list.ts';
import { RunsTable } from './runs-table.tsx';
import { useRuns } from './use-runs.ts';
import { positionAfter } from './run-order.ts';

/** The live list of runs. `waiting` is shown until the first run arrives. */
export function RunsPage({
  integrationId,
  filter,
  onFilter,
  onReplace,
  waiting,
}: {
  integrationId: string;
  filter: RunFilter;
  onFilter: ChangeFilter;
  /** Replaces the whole filter. */
  onReplace: (filter: RunFilter) => void;
  waiting: ReactNode;
}) {
  const runs = useRuns(integrationId, filter);
  const { list } = runs;
  const count = useRunCount(integrationId, filter, list);
  const filterKey = JSON.stringify(filter);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <>
      <PageHeader
        title={<PageTitle>Workflow runs</PageTitle>}
        end={
          <>
            {count && (isFiltered || count.count > 0) && <Count {...count} />}
            <ConnectionMark />
          </>
        }
      >
        <RunsToolbar integrationId={integrationId} filter={filter} onChange={onFilter} />
        <ViewMenu integrationId={integrationId} filter={filter} onChoose={onReplace} />
      </PageHeader>
      {filter.q !== undefined && <SearchNote q={filter.q} onChange={(q) => onFilter({ q })} />}
      <PullRequestHits integrationId={integrationId} q={filter.q} />
      <RunsContent
        runs={runs}
        filterKey={filterKey}
        isFiltered={isFiltered}
        onClear={() => onReplace({})}
        waiting={waiting}
      />
    </>
  );
}

function RunsContent({
  runs,
  filterKey,
  isFiltered,
  onClear,
  waiting,
}: {
  runs: ReturnType<typeof useRuns>;
  filterKey: string;
  isFiltered: boolean;
  onClear: () => void;
  waiting: ReactNode;
}) {
  const { list, error, failure, reader } = runs;
  const isAway = useIsAway();
  if (list === undefined) {
    if (error === null) return <SkeletonRows label="Loading runs" />;
    return <Failure title="The runs could not be loaded" error={error} onRetry={runs.refetch} />;
  }
  const trouble: Reading<unknown>['error'] = error ?? failure?.error ?? null;
  // The notice about the connection says it without moving the list.
  const isSaid = isAway && trouble?.code === 'unreachable' && !failure?.isMore;
  return (
    <>
      {trouble && !isSaid && (
        <FailureLine
          title={
            !error && failure?.isMore ? 'Older runs could not be loaded.' : 'These runs may be out of date.'
          }
          error={trouble}
          onRetry={async () => {
            reader.retry();
            if (error) await runs.refetch();
          }}
        />
      )}
      {list.rows.length === 0 && isFiltered && <NoMatch runs={runs} list={list} onClear={onClear} />}
      {list.rows.length === 0 && !isFiltered && (
        <div className="relative min-h-0 grow overflow-y-auto">{waiting}</div>
      )}
      {list.rows.length > 0 && (
        <RunsTable
          key={filterKey}
          list={list}
          isBusy={runs.isPlaceholder}
          onLook={runs.look}
          foot={<Foot runs={runs} list={list} />}
        />
      )}
    </>
  );
}

/** A filter that matches few runs may need many pages until the first match. */
function NoMatch({
  runs: { isPaused, reader },
  list: { nextCursor },
  onClear,
}: {
  runs: ReturnType<typeof useRuns>;
  list: RunList;
  onClear: () => void;
}) {
  if (nextCursor !== null && !isPaused) return <SkeletonRows label="Searching older runs" count={3} />;
  return (
    <Message
      title={nextCursor === null ? 'No runs match these filters' : 'No newer runs match these filters'}
    >
      <div className="flex flex-wrap justify-center gap-2">
        {nextCursor !== null && <Button onClick={() => reader.readOn()}>Search older runs</Button>}
        <Button onClick={onClear}>Clear filters</Button>
      </div>
    </Message>
  );
}

function Count({ count, isExact }: RunCount) {
  return (
    <span className="text-muted whitespace-nowrap">
      {formatNumber(count)}
      {!isExact && '+'} {count === 1 && isExact ? 'run' : 'runs'}
    </span>
  );
}

function Foot({
  runs: { isReadingMore, isPaused, reader },
  list,
}: {
  runs: ReturnType<typeof useRuns>;
  list: RunList;
}) {
  if (isReadingMore) return <SkeletonRows label="Loading older runs" count={3} />;
  if (isPaused && list.nextCursor !== null)
    return (
      <p className="flex flex-wrap items-center justify-center gap-3 p-4 text-muted">
        Few older runs match. <Button onClick={() => reader.readOn()}>Search older runs</Button>
      </p>
    );
  if (list.rows.length < maxRows) return null;
  return (
    <p className="p-4 text-center text-muted">
      Showing the newest {formatNumber(maxRows)} runs. Add filters to see older runs.
    </p>
  );
}

const refreshMs = 60_000;

interface RunCount {
  count: number;
  /** False when there are more. */
  isExact: boolean;
}

/** The number of runs that match the filter: those on screen, and those that the server counts after the first page. */
function useRunCount(
  integrationId: string,
  filter: RunFilter,
  list: RunList | undefined,
): RunCount | undefined {
  const cursor = list?.pieces[1]?.cursor ?? list?.nextCursor ?? undefined;
  const hasMore = list !== undefined && (list.nextCursor !== null || list.isTruncated);
  const key = ['run-count', integrationId, filter];
  const { data } = useQuery({
    queryKey: [...key, cursor],
    queryFn: ({ signal }) =>
      getJson<WorkflowRunCount>(
        `/api/integrations/${integrationId}/workflows/count${queryString({ ...filter, cursor })}`,
        signal,
      ),
    enabled: hasMore && cursor !== undefined,
    // The first page moves with new runs. Until its rest is counted, the count before is shown.
    placeholderData: (previous: WorkflowRunCount | undefined, query) =>
      JSON.stringify(query?.queryKey.slice(0, 3)) === JSON.stringify(key) ? previous : undefined,
    refetchInterval: readEvery(refreshMs),
  });
  if (list === undefined) return undefined;
  if (!hasMore) return { count: list.rows.length, isExact: true };
  if (data === undefined) return { count: list.rows.length, isExact: false };
  const onFirstPage = positionAfter(list.rows, list.pieces[0]?.end ?? undefined, list.order);
  return { count: Math.max(onFirstPage + data.count, list.rows.length), isExact: data.isComplete };
}
