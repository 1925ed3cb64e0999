import type { ReactNode } from 'react';
import { useConnection } from '../../api/live/live.tsx';
import { PullRequestHits } from '../../pull-requests/pull-request-hits.tsx';
import { ViewMenu } from '../../saved-views/view-menu.tsx';
import { Button } from '../../ui/button.tsx';
import { ConnectionMark } from '../../ui/connection-mark.tsx';
import { Failure, FailureLine, Message } from '../../ui/page/message.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { SkeletonRows } from '../../ui/table/skeleton.tsx';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import { maxRows, type RunList } from './run-list.ts';
import { RunsTable } from './runs-table.tsx';
import { RunsToolbar, type ChangeFilter } from '../filter/runs-toolbar.tsx';
import { useRuns } from './use-runs.ts';

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
  const connection = useConnection();
  const filterKey = JSON.stringify(filter);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <>
      <PageHeader
        title={<PageTitle>Workflow runs</PageTitle>}
        end={
          <>
            {list && (isFiltered || list.rows.length > 0) && <Count list={list} />}
            <ConnectionMark state={connection.state} onTryAgain={connection.tryAgain} />
          </>
        }
      >
        <RunsToolbar integrationId={integrationId} filter={filter} onChange={onFilter} />
        <ViewMenu integrationId={integrationId} filter={filter} onChoose={onReplace} />
      </PageHeader>
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
  if (list === undefined) {
    if (error === null) return <SkeletonRows label="Loading runs" />;
    return <Failure title="The runs could not be loaded" error={error} onRetry={() => void runs.refetch()} />;
  }
  const trouble = error ?? failure?.error;
  return (
    <>
      {trouble && (
        <FailureLine
          title={
            !error && failure?.isMore ? 'Older runs could not be loaded.' : 'These runs may be out of date.'
          }
          error={trouble}
          onRetry={() => {
            reader.retry();
            if (error) void runs.refetch();
          }}
        />
      )}
      {list.rows.length === 0 && isFiltered && (
        <Message title="No runs match these filters">
          <Button onClick={onClear}>Clear filters</Button>
        </Message>
      )}
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

function Count({ list }: { list: RunList }) {
  const count = list.rows.length.toLocaleString();
  const hasMore = list.nextCursor !== null || list.isTruncated;
  return (
    <span className="text-muted whitespace-nowrap">
      {count}
      {hasMore && '+'} {list.rows.length === 1 && !hasMore ? 'run' : 'runs'}
    </span>
  );
}

function Foot({ runs: { isReadingMore }, list }: { runs: ReturnType<typeof useRuns>; list: RunList }) {
  if (isReadingMore) return <SkeletonRows label="Loading older runs" count={3} />;
  if (list.rows.length < maxRows) return null;
  return (
    <p className="p-4 text-center text-muted">
      Showing the newest {maxRows.toLocaleString()} runs. Add filters to see older runs.
    </p>
  );
}
