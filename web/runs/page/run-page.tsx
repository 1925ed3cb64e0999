import { useEffect, useRef } from 'react';
import { billableMinutes, type WorkflowRun, type WorkflowRunDetail } from '#contract/runs/runs.ts';
import { ApiError } from '../../api/problem.ts';
import { useConnection } from '../../api/live/live.tsx';
import { ConnectionMark } from '../../ui/connection-mark.tsx';
import { BackLink } from '../../ui/page/back-link.tsx';
import { Failure, FailureLine, Message } from '../../ui/page/message.tsx';
import { PageHeader, useDocumentTitle } from '../../ui/page/page-header.tsx';
import { TextLink } from '../../ui/text/text-link.tsx';
import { SkeletonRows } from '../../ui/table/skeleton.tsx';
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
import { useRun } from './use-run.ts';
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
  const { data: detail, error, refetch } = useRun(integrationId, runId);
  const connection = useConnection();
  useShortcuts({ Escape: onClose });
  return (
    <>
      <PageHeader
        title={
          <>
            <BackLink
              integrationId={integrationId}
              to="/integrations/$integrationId/runs"
              name="workflow runs"
              onClose={onClose}
            />
            <RunTitle run={detail?.run} />
          </>
        }
        end={<ConnectionMark state={connection.state} onTryAgain={connection.tryAgain} />}
      />
      {detail && error && (
        <FailureLine title="This run may be out of date." error={error} onRetry={() => void refetch()} />
      )}
      <div className="relative min-h-0 grow overflow-y-auto" tabIndex={-1}>
        {detail && <RunDetail detail={detail} {...props} />}
        {!detail && !error && <SkeletonRows label="Loading the run" count={6} />}
        {!detail && error && (
          <NoRun integrationId={integrationId} error={error} onRetry={() => void refetch()} />
        )}
      </div>
    </>
  );
}

function NoRun({
  integrationId,
  error,
  onRetry,
}: {
  integrationId: string;
  error: Error;
  onRetry: () => void;
}) {
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Message title="Run not found">
        <p className="text-muted">It may have been removed, or its first event is still on the way.</p>
        <TextLink to="/integrations/$integrationId/runs" params={{ integrationId }}>
          View workflow runs
        </TextLink>
      </Message>
    );
  }
  return <Failure title="The run could not be loaded" error={error} onRetry={onRetry} />;
}

function RunTitle({ run }: { run: WorkflowRun | undefined }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const title = run ? titleOf(run) : 'Workflow run';
  const number = run && run.runNumber !== null ? ` #${run.runNumber}` : '';
  useDocumentTitle(title + number);
  // Keyboard and screen reader users continue at the heading.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <h1
      ref={heading}
      tabIndex={-1}
      className="min-w-0 grow basis-40 text-lg font-semibold wrap-anywhere outline-hidden max-md:line-clamp-2 md:basis-0 md:truncate"
    >
      <bdi>{title}</bdi>
      <span className="font-normal text-muted">{number}</span>
    </h1>
  );
}

function RunDetail({ detail, search, onSearch }: RunPageProps & { detail: WorkflowRunDetail }) {
  const { run, attempts } = detail;
  const attempt = attempts.find((one) => one.attempt === search.attempt) ?? run;
  const jobs = detail.jobs.filter((job) => job.attempt === attempt.attempt);
  const minutes = jobs.reduce((sum, job) => sum + billableMinutes(job), 0);
  const open = (job: number | undefined): void =>
    onSearch({ ...(search.attempt && { attempt: search.attempt }), ...(job && { job }) });
  return (
    <div className="mx-auto flex max-w-6xl flex-col gap-6 p-4 md:p-6">
      <RunSummary run={run} attempt={attempt} />
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
        onOpen={open}
      />
      <section aria-labelledby="jobs-title">
        <h2 id="jobs-title" className="mb-1 font-semibold">
          Jobs{' '}
          <span className="font-normal text-muted">
            {jobs.length}
            {minutes > 0 && ` · ${formatNumber(minutes)} billable ${minutes === 1 ? 'minute' : 'minutes'}`}
          </span>
        </h2>
        {jobs.length === 0 ? (
          <p className="text-muted">No jobs reported for this attempt.</p>
        ) : (
          <JobTimeline
            jobs={jobs}
            run={run}
            openJobId={search.job}
            onToggle={(jobId) => open(jobId === search.job ? undefined : jobId)}
          />
        )}
      </section>
      <PullRequests run={run} pullRequests={detail.pullRequests} />
    </div>
  );
}
