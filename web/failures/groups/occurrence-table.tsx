import { Link } from '@tanstack/react-router';
import type { Occurrence } from '#contract/failures/failures.ts';
import { Table, type Column } from '../../ui/table/table.tsx';
import { clip } from '../../ui/text/clip.ts';
import { TimeAgo } from '../../ui/time/time.tsx';

/** The newest failures of a group. */
export function OccurrenceTable({
  integrationId,
  occurrences,
}: {
  integrationId: string;
  occurrences: readonly Occurrence[];
}) {
  return (
    <Table
      label="Failed runs"
      columns={columnsFor(integrationId)}
      rows={occurrences}
      rowKey={({ runId, attempt, jobId }) => `${runId} ${attempt} ${jobId}`}
    />
  );
}

function columnsFor(integrationId: string): Column<Occurrence>[] {
  return [
    {
      key: 'run',
      header: 'Run',
      renderCell: ({ runId, runNumber, attempt, title }) => (
        <Link
          to="/integrations/$integrationId/runs/$runId"
          params={{ integrationId, runId: String(runId) }}
          search={{ attempt }}
          className="hover:underline"
        >
          <bdi>{clip(title ?? 'Run')}</bdi>
          {runNumber !== null && <span className="text-muted"> #{runNumber}</span>}
          {attempt > 1 && <span className="text-muted">, attempt {attempt}</span>}
        </Link>
      ),
    },
    { key: 'job', header: 'Job', className: 'text-muted', renderCell: ({ job }) => <bdi>{clip(job)}</bdi> },
    {
      key: 'branch',
      header: 'Branch',
      className: 'text-muted',
      renderCell: ({ branch }) => <bdi className="font-mono text-xs">{clip(branch ?? '')}</bdi>,
    },
    {
      key: 'actor',
      header: 'Actor',
      className: 'text-muted',
      renderCell: ({ actor }) => <bdi>{clip(actor ?? '', 100)}</bdi>,
    },
    {
      key: 'failed',
      header: 'Failed',
      isAtEnd: true,
      className: 'text-muted whitespace-nowrap',
      renderCell: ({ failedAt }) => <TimeAgo time={failedAt} />,
    },
  ];
}
