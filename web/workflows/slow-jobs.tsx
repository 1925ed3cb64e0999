import type { MetricGroup } from '#contract/metrics/metrics.ts';
import type { FigureLinks } from '../metrics/figure-links.tsx';
import { percentileColumn } from '../metrics/number-columns.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';

const shown = 10;

/** The jobs with the longest median duration. */
export function SlowJobs({ jobs, links }: { jobs: readonly MetricGroup[]; links: FigureLinks }) {
  const slowest = jobs.toSorted((a, b) => (b.durationP50Ms ?? 0) - (a.durationP50Ms ?? 0)).slice(0, shown);
  const columns: Column<MetricGroup>[] = [
    {
      key: 'job',
      header: 'Job',
      renderCell: ({ job }) => <bdi className="font-medium">{clip(job ?? '')}</bdi>,
    },
    percentileColumn('durationP50Ms', 'Duration p50'),
    percentileColumn('durationP95Ms', 'Duration p95'),
    percentileColumn('queueP95Ms', 'Queue p95'),
    {
      key: 'jobs',
      header: 'Jobs',
      isAtEnd: true,
      className: 'text-muted',
      renderCell: ({ runs, job }) => links.ofJobs(runs, { job: job ?? '' }),
    },
  ];
  return <Table label="Slowest jobs" rows={slowest} rowKey={({ job }) => job ?? ''} columns={columns} />;
}
