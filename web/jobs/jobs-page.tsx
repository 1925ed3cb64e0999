import type { JobFilter, JobListItem } from '#contract/runs/jobs.ts';
import { usePages } from '../api/use-pages.ts';
import { FilterPill } from '../ui/menu/filter-pill.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { NoMatches } from '../ui/page/no-matches.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { clip } from '../ui/text/clip.ts';
import { exactTime } from '../ui/time/exact-time.ts';
import { branchColumn, statusColumn } from '../runs/run-columns.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { timeOf } from '../ui/table/sort-rows.ts';
import { Table, type Column } from '../ui/table/table.tsx';
import { Duration, TimeAgo } from '../ui/time/time.tsx';

const askEveryMs = 60_000;

interface FilterProps {
  filter: JobFilter;
  onChange: (change: JobFilter) => void;
}

/** Completed jobs, the last completed first: the list behind the figures that count jobs. */
export function JobsPage({
  integrationId,
  search: filter,
  onChange,
}: {
  integrationId: string;
  search: JobFilter;
  onChange: FilterProps['onChange'];
}) {
  const path = `/api/integrations/${integrationId}/jobs`;
  const { reading, more, isReadingMore } = usePages<JobListItem>(path, filter, askEveryMs);
  const { data } = reading;
  return (
    <>
      <PageHeader
        title={<PageTitle>Jobs</PageTitle>}
        end={
          data && (
            <span className="text-muted whitespace-nowrap">
              {data.length}
              {more && '+'} {data.length === 1 && !more ? 'job' : 'jobs'}
            </span>
          )
        }
      >
        <Filters filter={filter} onChange={onChange} />
      </PageHeader>
      <PageBody>
        <Loaded reading={reading} what="jobs">
          {(jobs) =>
            jobs.length === 0 && !more ? (
              <NoJobs filter={filter} onChange={onChange} />
            ) : (
              <JobTable jobs={jobs} isCut={more !== undefined} />
            )
          }
        </Loaded>
        <MoreButton more={more} isPending={isReadingMore} />
      </PageBody>
    </>
  );
}

function NoJobs({ filter, onChange }: FilterProps) {
  const chosen = filterNames.filter((name) => filter[name] !== undefined);
  return chosen.length > 0 ? (
    <NoMatches
      what="completed jobs"
      onClear={() => onChange(Object.fromEntries(chosen.map((name) => [name, undefined])))}
    />
  ) : (
    <Message title="No completed jobs">
      <p className="text-muted">Jobs are listed here as soon as one completes.</p>
    </Message>
  );
}

const names = {
  repository: 'Repository',
  workflow: 'Workflow',
  job: 'Job',
  conclusion: 'Result',
  runner: 'Runner labels',
  runnerName: 'Runner',
  branchClass: 'Branches',
  attempt: 'Attempt',
  queueTime: 'Queue time',
  completedFrom: 'Completed from',
  completedTo: 'Completed before',
} as const satisfies Record<keyof JobFilter, string>;

const filterNames = Object.keys(names) as (keyof JobFilter)[];

const attemptTexts: Record<string, string> = {
  first: 'first',
  later: 're-runs',
  flip: 're-runs with another result',
};

function textOf(name: keyof JobFilter, value: string): string {
  if (name === 'branchClass') return value === 'default' ? 'default branch' : 'other branches';
  if (name === 'attempt') return attemptTexts[value] ?? value;
  if (name === 'completedFrom' || name === 'completedTo') return exactTime(value);
  return clip(value === '' ? 'none' : value, 60);
}

/** The chosen filters. A link sets them, and each can be removed. */
function Filters({ filter, onChange }: FilterProps) {
  return filterNames.map((name) => {
    const value = filter[name];
    if (value === undefined) return null;
    return (
      <FilterPill
        key={name}
        name={names[name]}
        value={textOf(name, value)}
        onRemove={() => onChange({ [name]: undefined })}
      />
    );
  });
}

/** Completed jobs, each with a link to its run. */
function JobTable({ jobs, isCut }: { jobs: readonly JobListItem[]; isCut: boolean }) {
  return (
    <Table
      label="Jobs"
      isCut={isCut}
      hasRowLinks
      columns={columns}
      rows={jobs}
      rowKey={({ runId, attempt, jobId }) => `${runId} ${attempt} ${jobId}`}
    />
  );
}

const columns: readonly Column<JobListItem>[] = [
  {
    key: 'job',
    header: 'Job',
    sortBy: ({ name }) => name,
    renderCell: (job) => <JobName job={job} />,
  },
  statusColumn,
  branchColumn,
  {
    key: 'runner',
    header: 'Runner',
    sortBy: ({ labels }) => labels.join(', '),
    className: 'text-muted',
    renderCell: ({ labels }) => <bdi>{clip(labels.join(', '), 40)}</bdi>,
  },
  durationColumn('queueMs', 'Waited', 'waited'),
  durationColumn('durationMs', 'Duration', 'ran'),
  {
    key: 'completed',
    header: 'Completed',
    sortBy: ({ completedAt }) => timeOf(completedAt),
    isAtEnd: true,
    className: 'text-muted whitespace-nowrap',
    renderCell: ({ completedAt }) => (
      <span className="relative z-1">
        {completedAt !== null && <TimeAgo time={completedAt} isFocusable />}
      </span>
    ),
  },
];

function JobName({ job: { runId, attempt, name, repository, workflowName } }: { job: JobListItem }) {
  return (
    <span>
      <RunLink runId={runId} search={{ attempt }} className="row-link font-medium">
        <bdi>{clip(name)}</bdi>
        {attempt > 1 && <span className="text-muted">, attempt {attempt}</span>}
      </RunLink>
      <bdi className="block text-xs text-muted">
        {clip(repository)} {clip(workflowName ?? '')}
      </bdi>
    </span>
  );
}

function durationColumn(
  name: 'queueMs' | 'durationMs',
  header: string,
  /** Before the duration on a small screen, where the column has no header. */
  verb: string,
): Column<JobListItem> {
  return {
    key: name,
    header,
    sortBy: ({ [name]: ms }) => ms,
    className: 'text-muted columns:text-right',
    renderCell: ({ [name]: ms }) => (
      <>
        <span className="columns:hidden">{verb} </span>
        <Duration ms={ms} since={null} />
      </>
    ),
  };
}
