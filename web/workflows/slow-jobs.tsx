import type { BranchClass, MetricGroup, Metrics } from '#contract/metrics/metrics.ts';
import { JobsLink } from '../runs/figure-link.tsx';
import { periodOf } from '../runs/period.ts';
import { ChangeText } from '../ui/change-text.tsx';
import { changeOf } from '../ui/change.ts';
import { formatCount } from '../ui/locale.ts';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { formatMeasured } from '../ui/time/format-duration.ts';

const shown = 10;

/** The jobs with the longest median duration. */
export function SlowJobs({
  integrationId,
  jobs,
  metrics,
  branch,
}: {
  integrationId: string;
  jobs: readonly MetricGroup[];
  metrics: Metrics;
  branch: BranchClass | undefined;
}) {
  const slowest = jobs.toSorted((a, b) => (b.durationP50Ms ?? 0) - (a.durationP50Ms ?? 0)).slice(0, shown);
  const ofClass = branch === undefined ? {} : { branchClass: branch };
  return (
    <Table
      label="Slowest jobs"
      rows={slowest}
      rowKey={({ job }) => job ?? ''}
      columns={[
        {
          key: 'job',
          header: 'Job',
          renderCell: ({ job }) => <bdi className="font-medium">{clip(job ?? '')}</bdi>,
        },
        timeColumn('durationP50Ms', 'Duration p50'),
        timeColumn('durationP95Ms', 'Duration p95'),
        timeColumn('queueP95Ms', 'Queue p95'),
        {
          key: 'jobs',
          header: 'Jobs',
          isAtEnd: true,
          className: 'text-muted',
          renderCell: (group) => (
            <JobsLink
              integrationId={integrationId}
              count={group.runs}
              filter={{ ...periodOf(metrics), ...ofClass, ...nameOf(group) }}
            >
              {formatCount(group.runs, 'job')}
            </JobsLink>
          ),
        },
      ]}
    />
  );
}

function timeColumn(
  name: 'durationP50Ms' | 'durationP95Ms' | 'queueP95Ms',
  header: string,
): Column<MetricGroup> {
  return {
    key: name,
    header,
    className: 'text-muted columns:text-right',
    renderCell: (group) => (
      <>
        <span className="columns:hidden">{header} </span>
        {group[name] === null ? '–' : formatMeasured(group[name])}
        <ChangeText
          change={changeOf(
            { value: group[name], previous: group.previous?.[name] ?? null },
            'amount',
            'less',
          )}
        />
      </>
    ),
  };
}

function nameOf({ repository, workflow, job }: MetricGroup) {
  return { repository: repository ?? '', workflow: workflow ?? '', job: job ?? '' };
}
