import {
  billableMinutes,
  type WorkflowJob,
  type WorkflowRun,
  type WorkflowRunDetail,
} from '#contract/runs/runs.ts';
import { isRed } from '#contract/runs/conclusions.ts';
import type { UsualDurations } from '#contract/runs/usual.ts';
import { isMissing } from '../../api/problem.ts';
import { ConnectionMark } from '../../ui/connection-mark.tsx';
import { BackLink, UnknownItem } from '../../ui/page/back-link.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { NumberedTitle, PageHeader } from '../../ui/page/page-header.tsx';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';
import { JobTimeline } from './jobs/job-timeline.tsx';
import type { RunPageSearch } from './run-page-search.ts';
import { Attempts } from './attempts.tsx';
import { PreviousResult } from './previous-result.tsx';
import { PullRequests } from './pull-requests.tsx';
import { RunSummary } from './run-summary.tsx';
import { RunActions } from '../actions/run-actions.tsx';
import { titleOf } from '../run-texts.ts';
import { RunFailures } from '../../failures/run-failures.tsx';
import { CommitsBetween } from '../../failures/commits-between.tsx';
import { RunTests } from '../../test-results/run-tests.tsx';
import { criticalPath } from './usual/critical-path.ts';
import { useRun } from './use-run.ts';
import { clip } from '../../ui/text/clip.ts';
import { formatNumber } from '../../ui/locale.ts';

export interface RunPageProps {
  integrationId: string;
  runId: string;
  search: RunPageSearch;
  onSearch: (search: RunPageSearch) => void;
  /** Back to the list with its scroll position. */
  onClose: () => void;
}

/** One live run: attempts, failures, jobs with steps on a time axis, pull requests. */
export function RunPage(props: RunPageProps) {
  const { integrationId, runId, onClose } = props;
  const reading = useRun(integrationId, runId);
  const run = reading.data?.run;
  useShortcuts({ Escape: onClose });
  return (
    <>
      <PageHeader
        title={
          <>
            <BackLink integrationId={integrationId} list="runs" onClose={onClose} />
            <NumberedTitle title={run ? titleOf(run) : 'Workflow run'} number={run?.runNumber ?? null} />
          </>
        }
        end={<ConnectionMark />}
      />
      <div className="relative min-h-0 grow overflow-y-auto" tabIndex={-1}>
        {run === undefined && isMissing(reading.error) ? (
          <UnknownItem
            integrationId={integrationId}
            list="runs"
            what="Run"
            reason="It may have been removed, or its first event is still on the way."
          />
        ) : (
          <Loaded reading={reading} what="run">
            {(detail) => <RunDetail detail={detail} {...props} />}
          </Loaded>
        )}
      </div>
    </>
  );
}

function RunDetail({ detail, search, onSearch }: RunPageProps & { detail: WorkflowRunDetail }) {
  const { run, attempts } = detail;
  const attempt = attempts.find((one) => one.attempt === search.attempt) ?? run;
  const jobs = detail.jobs.filter((job) => job.attempt === attempt.attempt);
  const open = (job: number | undefined): void =>
    onSearch({ ...(search.attempt && { attempt: search.attempt }), ...(job && { job }) });
  return (
    <div className="mx-auto flex max-w-6xl flex-col gap-6 p-4 md:p-6">
      <RunSummary run={run} attempt={attempt} usualMs={detail.usual.runMs} />
      <PreviousResult run={run} previous={detail.previous} />
      <RunActions run={run} />
      <Attempts
        attempts={attempts}
        shown={attempt.attempt}
        onShow={(number) => onSearch(number === run.attempt ? {} : { attempt: number })}
      />
      <RunFailures
        integrationId={run.integrationId}
        runId={run.runId}
        attempt={attempt.attempt}
        jobs={jobs}
        onOpen={(job) => {
          open(job);
          document.getElementById(`job-${job}`)?.focus();
        }}
      />
      {attempt.attempt === run.attempt && isRed(run.conclusion) && (
        <CommitsBetween integrationId={run.integrationId} repository={run.repository} runId={run.runId} />
      )}
      <RunTests
        integrationId={run.integrationId}
        runId={run.runId}
        attempt={attempt.attempt}
        newLabel={
          detail.pullRequests.length > 0
            ? 'New on this pull request'
            : `New on ${clip(run.headBranch ?? 'this branch', 60)}`
        }
      />
      <Jobs
        run={run}
        jobs={jobs}
        usual={detail.usual}
        openJobId={search.job}
        onToggle={(jobId) => open(jobId === search.job ? undefined : jobId)}
      />
      <PullRequests run={run} pullRequests={detail.pullRequests} />
    </div>
  );
}

function Jobs({
  run,
  jobs,
  usual,
  openJobId,
  onToggle,
}: {
  run: WorkflowRun;
  /** Of the shown attempt. */
  jobs: readonly WorkflowJob[];
  usual: UsualDurations;
  openJobId: number | undefined;
  onToggle: (jobId: number) => void;
}) {
  const path = criticalPath(jobs);
  const minutes = jobs.reduce((sum, job) => sum + billableMinutes(job), 0);
  return (
    <section aria-labelledby="jobs-title">
      <h2 id="jobs-title" className="mb-1 font-semibold">
        Jobs{' '}
        <span className="font-normal text-muted">
          {jobs.length}
          {minutes > 0 && ` · ${formatNumber(minutes)} billable ${minutes === 1 ? 'minute' : 'minutes'}`}
        </span>
      </h2>
      <CriticalPath path={path} />
      {jobs.length === 0 ? (
        <p className="text-muted">No jobs reported for this attempt.</p>
      ) : (
        <JobTimeline
          jobs={jobs}
          usual={usual}
          path={path}
          run={run}
          openJobId={openJobId}
          onToggle={onToggle}
        />
      )}
    </section>
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
