import { useState } from 'react';
import { billableMinutes, type WorkflowJob, type WorkflowRun } from '#contract/runs/runs.ts';
import type { UsualDurations } from '#contract/runs/usual.ts';
import { Button } from '../../../ui/button.tsx';
import { SearchField } from '../../../ui/form/search-field.tsx';
import { formatCount, formatNumber } from '../../../ui/locale.ts';
import { nextSort, type Sort } from '../../../ui/table/sort-rows.ts';
import { clip } from '../../../ui/text/clip.ts';
import { criticalPath } from '../usual/critical-path.ts';
import { JobTimeline } from './job-timeline.tsx';
import { orderJobs } from './order-jobs.ts';

const shownFirst = 40;
/** Fewer are seen at a glance. */
const filteredFrom = 10;

/** The jobs of an attempt: failed ones first, with a filter when they are many. */
export function JobsSection({
  jobs,
  openJobId,
  find,
  onFind,
  ...rest
}: {
  run: WorkflowRun;
  /** Of the shown attempt. */
  jobs: readonly WorkflowJob[];
  usual: UsualDurations;
  openJobId: number | undefined;
  /** What names or statuses contain. */
  find: string;
  onFind: (find: string) => void;
  onToggle: (jobId: number) => void;
}) {
  const [sort, setSort] = useState<Sort>();
  const [isWhole, setIsWhole] = useState(false);
  const path = criticalPath(jobs);
  const found = orderJobs(jobs, find, sort);
  // A link to a job shows it.
  const isLate = found.findIndex(({ jobId }) => jobId === openJobId) >= shownFirst;
  const shown = isWhole || isLate ? found : found.slice(0, shownFirst);
  return (
    <section aria-labelledby="jobs-title">
      <div className="mb-1 flex flex-wrap items-center gap-x-4 gap-y-1">
        <JobsTitle jobs={jobs} />
        {(jobs.length >= filteredFrom || find !== '') && (
          <SearchField label="Filter jobs" placeholder="Name or status" value={find} onChange={onFind} />
        )}
        {find !== '' && (
          <output className="text-muted">
            {formatNumber(found.length)} of {formatCount(jobs.length, 'job')}
          </output>
        )}
      </div>
      <CriticalPath path={path} />
      {jobs.length === 0 ? (
        <p className="text-muted">No jobs reported for this attempt.</p>
      ) : (
        <JobTimeline
          jobs={shown}
          all={jobs}
          path={path}
          openJobId={openJobId}
          sort={sort}
          onSort={(key, isNumber) => setSort(nextSort(sort, key, isNumber))}
          {...rest}
        />
      )}
      {shown.length < found.length && (
        <Button className="mt-2" onClick={() => setIsWhole(true)}>
          Show all {formatCount(found.length, 'job')}
        </Button>
      )}
    </section>
  );
}

function JobsTitle({ jobs }: { jobs: readonly WorkflowJob[] }) {
  const minutes = jobs.reduce((sum, job) => sum + billableMinutes(job), 0);
  return (
    <h2 id="jobs-title" className="font-semibold">
      Jobs{' '}
      <span className="font-normal text-muted">
        {formatNumber(jobs.length)}
        {minutes > 0 && ` · ${formatCount(minutes, 'runner minute')}`}
      </span>
    </h2>
  );
}

/** The jobs that decide how long the run takes. Their rows are marked in the timeline. */
function CriticalPath({ path }: { path: readonly WorkflowJob[] }) {
  if (path.length === 0) return null;
  return (
    <p className="mb-1 line-clamp-2 text-xs wrap-anywhere text-muted">
      <span
        title="The jobs that decide how long the run takes: each was created when the one before it ended."
        className="mr-1 inline-block border-l-3 border-accent pl-1.5"
      >
        Critical path
      </span>
      {path.map(({ jobId, name }, index) => (
        <span key={jobId}>
          {index > 0 && ' › '}
          <bdi>{clip(name, 60)}</bdi>
        </span>
      ))}
    </p>
  );
}
