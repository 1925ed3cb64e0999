import ChevronRight from 'lucide-react/icons/chevron-right';
import { useEffect, useRef } from 'react';
import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import type { UsualDurations } from '#contract/runs/usual.ts';
import { LogLink } from '../../../job-logs/log-link.tsx';
import { clip } from '../../../ui/text/clip.ts';
import { formatDuration } from '../../../ui/time/format-duration.ts';
import { sortedBy, type Sort } from '../../../ui/table/sort-rows.ts';
import { SortButton } from '../../../ui/table/table.tsx';
import { useNow } from '../../../ui/time/now.ts';
import { safeUrl } from '../../../ui/text/safe-url.ts';
import { Duration } from '../../../ui/time/time.tsx';
import { JobAction } from '../../actions/run-actions.tsx';
import { JobSteps } from './job-steps.tsx';
import { isOver, runningSince } from '../../run-status.ts';
import { StatusMark } from '../../status-mark.tsx';
import { axisOf, ticksOf, type TimeAxis } from './time-axis.ts';
import { Usual } from '../usual/usual.tsx';
import { TimelineBar } from './timeline-bar.tsx';
import { OutsideLink } from '../../../ui/text/text-link.tsx';

/** Jobs of an attempt on one time axis. Each expands to its steps. */
export function JobTimeline({
  jobs,
  all,
  usual,
  path,
  sort,
  onSort,
  openJobId,
  run,
  onToggle,
}: {
  jobs: readonly WorkflowJob[];
  /** Those that the time axis is for. */
  all: readonly WorkflowJob[];
  usual: UsualDurations;
  /** The jobs of the critical path. */
  path: readonly WorkflowJob[];
  run: WorkflowRun;
  openJobId: number | undefined;
  sort: Sort | undefined;
  onSort: (key: 'name' | 'duration', isNumber: boolean) => void;
  onToggle: (jobId: number) => void;
}) {
  const now = useNow(all.some((job) => !isOver(job)));
  const axis = axisOf(all, now) ?? { from: now, to: now + 1000 };
  const usualMs = new Map(usual.jobs.map(({ name, ms }) => [name, ms]));
  const headerOf = (key: 'name' | 'duration', header: string) => {
    const sorted = sortedBy(sort, key);
    return {
      header,
      sorted,
      'aria-pressed': sorted !== 'none',
      onClick: () => onSort(key, key === 'duration'),
    };
  };
  return (
    <div>
      <div className="job-grid h-6 border-b border-line text-xs text-muted max-md:hidden print:hidden">
        <SortButton {...headerOf('name', 'Job')} className="flex pl-5" />
        <Ticks axis={axis} />
        <SortButton {...headerOf('duration', 'Duration')} className="flex justify-end" />
      </div>
      <ul aria-label="Jobs">
        {jobs.map((job) => (
          <Job
            key={job.jobId}
            job={job}
            usualMs={usualMs.get(job.name) ?? null}
            isCritical={path.includes(job)}
            axis={axis}
            now={now}
            isOpen={job.jobId === openJobId}
            run={run}
            onToggle={() => onToggle(job.jobId)}
          />
        ))}
      </ul>
    </div>
  );
}

function Ticks({ axis }: { axis: TimeAxis }) {
  return (
    <span aria-hidden className="relative h-full text-2xs">
      {ticksOf(axis).map((tick) => (
        <span
          key={tick}
          className="absolute inset-y-0 flex items-center max-lg:even:invisible border-l border-line pl-1 whitespace-nowrap"
          style={{ left: `${(tick / (axis.to - axis.from)) * 100}%` }}
        >
          {/* There is no space for a label at the very end. */}
          {tick <= (axis.to - axis.from) * 0.93 && (tick === 0 ? '0' : formatDuration(tick))}
        </span>
      ))}
    </span>
  );
}

function Job({
  job,
  usualMs,
  isCritical,
  axis,
  now,
  isOpen,
  run,
  onToggle,
}: {
  job: WorkflowJob;
  usualMs: number | null;
  isCritical: boolean;
  run: WorkflowRun;
  axis: TimeAxis;
  now: number;
  isOpen: boolean;
  onToggle: () => void;
}) {
  const stepsId = `steps-${job.jobId}`;
  const item = useRef<HTMLLIElement>(null);
  // A link or the list of failures may have opened it.
  useEffect(() => {
    if (isOpen) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <li ref={item} className={`scroll-my-4 border-b border-line ${isCritical ? 'is-critical' : ''}`}>
      <button
        type="button"
        id={`job-${job.jobId}`}
        aria-expanded={isOpen}
        aria-controls={isOpen ? stepsId : undefined}
        className="prints job-grid w-full py-1.5 text-left -outline-offset-2 hover:bg-hover"
        onClick={onToggle}
      >
        <span className="flex min-w-0 items-center gap-1.5">
          <ChevronRight
            size={14}
            aria-hidden
            className={`shrink-0 text-muted ${isOpen ? 'rotate-90' : ''}`}
          />
          <bdi className="min-w-0 grow truncate font-medium">{clip(job.name)}</bdi>
          <StatusMark status={job.status} conclusion={job.conclusion} />
        </span>
        <span className="job-bar">
          <TimelineBar span={job} axis={axis} now={now} />
        </span>
        <JobTimes job={job} usualMs={usualMs} />
      </button>
      {isOpen && (
        <div id={stepsId} className="pb-2">
          <JobFacts run={run} job={job} usualMs={usualMs} />
          <JobSteps steps={job.steps} axis={axis} now={now} />
          <div className="pl-5 pt-1">
            <JobAction run={run} job={job} />
          </div>
        </div>
      )}
    </li>
  );
}

function JobTimes({ job, usualMs }: { job: WorkflowJob; usualMs: number | null }) {
  return (
    <span className="text-right">
      <Duration ms={job.durationMs} since={runningSince(job)} />
      {usualMs !== null && job.conclusion !== 'skipped' && (
        <span className="block text-2xs">
          <Usual ms={job.durationMs} since={runningSince(job)} usualMs={usualMs} />
        </span>
      )}
    </span>
  );
}

function JobFacts({
  run: { integrationId, runId },
  job,
  usualMs,
}: {
  run: WorkflowRun;
  job: WorkflowJob;
  usualMs: number | null;
}) {
  const url = safeUrl(job.url);
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 py-1 pl-5 text-xs text-muted">
      {job.queueMs !== null && <span>Queued {formatDuration(job.queueMs)}</span>}
      {usualMs !== null && <span>Usually {formatDuration(usualMs)}</span>}
      {job.runnerName && (
        <span>
          Runner <bdi>{clip(job.runnerName, 100)}</bdi>
        </span>
      )}
      {job.labels.length > 0 && <bdi className="break-all">{clip(job.labels.join(', '))}</bdi>}
      <LogLink integrationId={integrationId} runId={runId} jobId={job.jobId} job={job.name}>
        Log
      </LogLink>
      {url && (
        <OutsideLink href={url} about={`of ${clip(job.name)}`}>
          Job at the forge
        </OutsideLink>
      )}
    </p>
  );
}
