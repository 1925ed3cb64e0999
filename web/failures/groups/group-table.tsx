import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { FailureGroup } from '#contract/failures/failures.ts';
import { useIntegrationParams } from '../../integrations/integration-params.ts';
import { timeOf } from '../../ui/table/sort-rows.ts';
import { Table, type Column } from '../../ui/table/table.tsx';
import { clip } from '../../ui/text/clip.ts';
import { TimeAgo } from '../../ui/time/time.tsx';
import { GroupStatus } from './group-status.tsx';
import { Trend } from './trend.tsx';
import { formatNumber } from '../../ui/locale.ts';

export function GroupTable({
  integrationId,
  groups,
  isCut,
}: {
  integrationId: string;
  groups: readonly FailureGroup[];
  isCut: boolean;
}) {
  return (
    <Table
      label="Failures"
      columns={columnsFor(integrationId)}
      rows={groups}
      isCut={isCut}
      rowKey={({ groupId }) => groupId}
    />
  );
}

function columnsFor(integrationId: string): Column<FailureGroup>[] {
  return [
    {
      key: 'failure',
      header: 'Failure',
      sortBy: ({ errorLine }) => errorLine,
      className: 'columns:w-full columns:max-w-0',
      renderCell: (group) => <FailureCell group={group} />,
    },
    {
      key: 'status',
      header: 'Status',
      className: 'whitespace-nowrap',
      renderCell: (group) => <GroupStatus integrationId={integrationId} group={group} />,
    },
    {
      key: 'count',
      header: 'Failures',
      sortBy: ({ failures }) => failures,
      isAtEnd: true,
      renderCell: ({ groupId, failures }) => (
        <>
          <GroupLink groupId={groupId} data-count={failures} className="rounded-xs hover:underline">
            {formatNumber(failures)}
          </GroupLink>
          <span className="columns:hidden">{failures === 1 ? ' failure' : ' failures'}</span>
        </>
      ),
    },
    {
      key: 'trend',
      header: 'Last 14 days',
      sortBy: ({ trend }) => trend.reduce((sum, count) => sum + count, 0),
      renderCell: ({ trend }) => <Trend counts={trend} />,
    },
    {
      key: 'branches',
      header: 'Branches',
      className: 'text-muted columns:min-w-28',
      renderCell: ({ branches }) => <Branches branches={branches} />,
    },
    {
      key: 'first',
      header: 'First seen',
      sortBy: ({ firstSeenAt }) => timeOf(firstSeenAt),
      className: 'text-muted whitespace-nowrap stacked:hidden',
      renderCell: ({ firstSeenAt }) => <TimeAgo time={firstSeenAt} />,
    },
    {
      key: 'last',
      header: 'Last seen',
      sortBy: ({ lastSeenAt }) => timeOf(lastSeenAt),
      isAtEnd: true,
      className: 'text-muted whitespace-nowrap',
      renderCell: ({ lastSeenAt }) => <TimeAgo time={lastSeenAt} />,
    },
  ];
}

function FailureCell({ group: { groupId, errorLine, job, step, repository } }: { group: FailureGroup }) {
  return (
    <div className="min-w-0 py-1">
      <GroupLink
        groupId={groupId}
        data-row
        className="line-clamp-2 rounded-xs font-mono text-xs leading-5 wrap-anywhere hover:underline"
      >
        <bdi>{clip(errorLine)}</bdi>
      </GroupLink>
      <div className="line-clamp-1 text-xs wrap-anywhere text-muted">
        <bdi>{clip(job)}</bdi>
        {step !== null && <bdi> – {clip(step)}</bdi>} in <bdi>{clip(repository)}</bdi>
      </div>
    </div>
  );
}

function Branches({ branches }: { branches: readonly string[] }) {
  const [first, ...others] = branches;
  if (first === undefined) return null;
  return (
    <span className="xl:whitespace-nowrap" title={clip(branches.join(', '), 400)}>
      <bdi className="font-mono text-xs">{clip(first, 24)}</bdi>
      {others.length > 0 && ` and ${others.length} more`}
    </span>
  );
}

function GroupLink({
  groupId,
  ...rest
}: {
  groupId: string;
  className: string;
  'data-row'?: boolean;
  'data-count'?: number;
  children: ReactNode;
}) {
  const params = { ...useIntegrationParams(), groupId };
  return (
    <Link
      to="/integrations/$integrationId/failures/$groupId"
      params={params}
      state={{ isFromList: true }}
      {...rest}
    />
  );
}
