import type { FailureGroup, Occurrence } from '#contract/failures/failures.ts';
import { RunLink } from '../../runs/run-link.tsx';
import { Table, type Column } from '../../ui/table/table.tsx';
import { clip } from '../../ui/text/clip.ts';
import { TimeAgo } from '../../ui/time/time.tsx';

/** The newest failures of a group. The jobs are named if they differ. */
export function OccurrenceTable({
  group,
  occurrences,
}: {
  group: FailureGroup;
  occurrences: readonly Occurrence[];
}) {
  const isOneJob = occurrences.every(({ job }) => job === group.job);
  return (
    <Table
      label="Failed runs"
      columns={isOneJob ? columns.filter(({ key }) => key !== 'job') : columns}
      rows={occurrences}
      rowKey={({ runId, attempt, jobId }) => `${runId} ${attempt} ${jobId}`}
    />
  );
}

const columns: readonly Column<Occurrence>[] = [
  {
    key: 'run',
    header: 'Run',
    renderCell: ({ runId, runNumber, attempt, title }) => (
      <RunLink runId={runId} search={{ attempt }} className="hover:underline">
        <bdi>{clip(title ?? 'Run')}</bdi>
        {runNumber !== null && <span className="text-muted"> #{runNumber}</span>}
        {attempt > 1 && <span className="text-muted">, attempt {attempt}</span>}
      </RunLink>
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
