import { Link } from '@tanstack/react-router';
import { isLongWait, type LabelQueue, type Queue } from '#contract/metrics/queue.ts';
import { numberColumn } from '../metrics/number-columns.tsx';
import { JobsLink } from '../runs/figure-link.tsx';
import { periodOf } from '../runs/period.ts';
import { quietLink } from '../runs/quiet-link.ts';
import { formatCount, formatNumber } from '../ui/locale.ts';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { clockTime } from '../ui/time/exact-time.ts';
import { formatDuration } from '../ui/time/format-duration.ts';
import { useNowText } from '../ui/time/now.ts';
import { Duration } from '../ui/time/time.tsx';

/** A number of jobs as a link to their rows on this page. Without labels, those of all. */
export function OpenJobsLink({
  of,
  count,
  runner,
}: {
  of: 'waiting' | 'running' | 'held';
  count: number;
  runner?: string;
}) {
  if (count === 0) return '0';
  return (
    <Link
      from="/integrations/$integrationId/queue"
      to="."
      search={{ runner }}
      hash={of}
      replace
      data-count={count}
      className={quietLink}
    >
      {formatNumber(count)}
    </Link>
  );
}

/** Each set of runner labels with its jobs and how long jobs usually wait for it. */
export function LabelTable({ queue }: { queue: Queue }) {
  const columns: Column<LabelQueue>[] = [
    {
      key: 'runner',
      header: 'Runner labels',
      className: 'columns:w-full columns:max-w-0 wrap-anywhere',
      sortBy: ({ runner }) => runner,
      renderCell: ({ runner }) => <bdi className="font-medium">{clip(runner || 'none', 200)}</bdi>,
    },
    numberColumn(
      'waiting',
      'Waiting',
      ({ waiting, runner }) => (
        <>
          <OpenJobsLink of="waiting" count={waiting} runner={runner} />
          <span className="columns:hidden"> waiting</span>
        </>
      ),
      ({ waiting }) => waiting,
    ),
    numberColumn(
      'running',
      'Running',
      ({ running, runner }) => (
        <>
          <OpenJobsLink of="running" count={running} runner={runner} />
          <span className="columns:hidden"> running</span>
        </>
      ),
      ({ running }) => running,
    ),
    numberColumn('usual', 'Usual wait', ({ runner, usual: { count, p50, p90 } }) =>
      p50 === null ? (
        <>
          <span className="columns:hidden">usual wait </span>not known
        </>
      ) : (
        <span className="whitespace-nowrap">
          <span className="columns:hidden">usually </span>
          {formatDuration(p50)}
          {p90 !== null && `, p90 ${formatDuration(p90)}`} of{' '}
          <JobsLink count={count} filter={{ ...periodOf(queue), runner, queueTime: 'counted' }}>
            {formatCount(count, 'job')}
          </JobsLink>
        </span>
      ),
    ),
    {
      key: 'wait',
      header: 'Longest wait',
      isAtEnd: true,
      className: 'whitespace-nowrap',
      sortBy: ({ since }) => (since === null ? null : -Date.parse(since)),
      renderCell: (labels) => <LongestWait labels={labels} />,
    },
  ];
  return (
    <Table label="Runner labels" columns={columns} rows={queue.labels} rowKey={({ runner }) => runner} />
  );
}

function LongestWait({ labels }: { labels: LabelQueue }) {
  const isLong = useNowText((now) => String(isLongWait(labels, now))) === 'true';
  if (labels.since === null) return <span className="hidden text-muted columns:inline">none waiting</span>;
  return (
    <>
      <span className={isLong ? 'font-medium text-failed' : ''}>
        <Duration ms={null} since={labels.since} />
        {isLong && <span className="font-normal">, longer than usual</span>}
      </span>
      <span className="hidden text-xs text-muted columns:block">
        since {clockTime(Date.parse(labels.since))}
      </span>
    </>
  );
}
