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
import { JobTable } from './job-table.tsx';

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
