import type { ReactNode } from 'react';
import { isFailed } from '#contract/runs/conclusions.ts';
import type { Check, CheckJob } from '#contract/runs/pull-requests.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { verdictText, type CheckVerdict, type VerdictKind } from '#contract/failures/check-verdict.ts';
import { RunActions } from '../../runs/actions/run-actions.tsx';
import { RunLink } from '../../runs/run-link.tsx';
import { runningSince } from '../../runs/run-status.ts';
import { titleOf, workflowOf } from '../../runs/run-texts.ts';
import { StatusMark } from '../../runs/status-mark.tsx';
import { countsText } from '../../test-results/counts-text.ts';
import { FailedTests } from '../../test-results/failed-tests.tsx';
import { clip } from '../../ui/text/clip.ts';
import { Duration } from '../../ui/time/time.tsx';
import { AssessmentLine, FailurePill } from '../../failures/assessment-line.tsx';
import { SameFailures } from '../../failures/same-failures.tsx';
import { quietLink } from '../../runs/quiet-link.ts';
import { linkLook } from '../../ui/text/text-link.tsx';
import { PullRequestLink } from '../pull-request-link.tsx';

/** Jobs that need no attention are named in one line, at most this many. */
const maxNamed = 12;

/** A run of a workflow for a commit: why its jobs failed, and the names of the others. */
export function CheckRun({ check: { run, jobs, tests, verdict } }: { check: Check }) {
  const failed = jobs.filter(({ conclusion }) => isFailed(conclusion));
  const isRed = failed.length > 0 || isFailed(run.conclusion);
  return (
    <li
      aria-label={workflowOf(run)}
      className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-surface p-3"
    >
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2">
        <StatusMark status={run.status} conclusion={run.conclusion} />
        <RunLink runId={run.runId} className="min-w-0 truncate font-medium hover:underline">
          <bdi>{workflowOf(run) || titleOf(run)}</bdi>
          {run.runNumber !== null && <span className="font-normal text-muted"> #{run.runNumber}</span>}
        </RunLink>
        {run.event !== null && <bdi className="text-xs text-muted">{clip(run.event, 60)}</bdi>}
        {run.attempt > 1 && <span className="text-xs text-muted">attempt {run.attempt}</span>}
        <span className="text-muted">
          <Duration ms={run.durationMs} since={runningSince(run)} />
        </span>
        {isRed && (
          <div className="md:ml-auto">
            <RunActions run={run} />
          </div>
        )}
      </div>
      {verdict && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <VerdictLine verdict={verdict} repository={run.repository} />
        </p>
      )}
      {failed.length > 0 && (
        <ul className="flex flex-col gap-2">
          {failed
            .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
            .map((job) => (
              <FailedCheck key={job.jobId} run={run} job={job} />
            ))}
        </ul>
      )}
      {tests !== null && (
        <>
          <p className="text-muted">{countsText(tests)}</p>
          {tests.items.length > 0 && <FailedTests tests={tests.items} newLabel="New on this pull request" />}
        </>
      )}
      <OtherJobs jobs={jobs.filter((job) => !failed.includes(job))} />
    </li>
  );
}

function OtherJobs({ jobs }: { jobs: readonly CheckJob[] }) {
  if (jobs.length === 0) return null;
  const more = jobs.length - maxNamed;
  return (
    <ul aria-label="Other jobs" className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
      {jobs.slice(0, maxNamed).map(({ jobId, name, status, conclusion }) => (
        <li key={jobId} className="inline-flex min-w-0 items-center gap-1.5">
          <StatusMark status={status} conclusion={conclusion} />
          <bdi className="truncate">{clip(name, 60)}</bdi>
        </li>
      ))}
      {more > 0 && <li className="text-muted">and {more} more</li>}
    </ul>
  );
}

/** Why a job failed: step, error line, and what that means. The run has the log. */
function FailedCheck({ run, job }: { run: WorkflowRun; job: CheckJob }) {
  const { name, jobId, failure, verdict, isRequired } = job;
  return (
    <li className="flex min-w-0 flex-col gap-1 border-l-2 border-failed pl-3">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <RunLink runId={run.runId} search={{ job: jobId }} className={`min-w-0 truncate ${quietLink}`}>
          <bdi className="font-medium">{clip(name)}</bdi>
          {failure?.step && <bdi className="text-muted"> – {clip(failure.step.name)}</bdi>}
        </RunLink>
        {isRequired && <span className="text-xs font-semibold">Required</span>}
        {verdict ? (
          <VerdictLine verdict={verdict} repository={run.repository} />
        ) : (
          failure?.assessment && <AssessmentLine assessment={failure.assessment} />
        )}
        {failure?.groupId && (
          <span className="text-xs">
            <SameFailures groupId={failure.groupId} job={name} />
          </span>
        )}
      </div>
      <p className="font-mono text-xs leading-5 wrap-anywhere text-failed">
        <bdi>{failure?.errorLine ?? 'The job failed'}</bdi>
      </p>
      {failure?.log === 'reading' && <p className="text-xs text-muted">Reading the log…</p>}
    </li>
  );
}

const tones: Record<VerdictKind, 'waiting' | 'running' | 'known' | 'failed'> = {
  infrastructure: 'waiting',
  flaky: 'running',
  elsewhere: 'known',
  new_here: 'failed',
  not_known: 'known',
};

/** What a failed check means, with links to what says so. */
function VerdictLine({ verdict, repository }: { verdict: CheckVerdict; repository: string }) {
  const { kind, base, others, pullRequests } = verdict;
  const links: ReactNode[] = pullRequests.map(({ number }) => (
    <PullRequestLink key={number} repository={repository} number={number}>
      #{number}
    </PullRequestLink>
  ));
  if (base !== null)
    links.unshift(
      <RunLink key="base" runId={base.runId} className={linkLook}>
        Run on <bdi>{clip(base.branch ?? 'the base branch', 60)}</bdi>
      </RunLink>,
    );
  const more = others - pullRequests.length;
  return (
    <>
      <FailurePill tone={tones[kind]}>{verdictText(verdict)}</FailurePill>
      {links.length > 0 && (
        <span className="inline-flex flex-wrap gap-x-2 text-xs">
          {links}
          {more > 0 && <span className="text-muted">and {more} more</span>}
        </span>
      )}
    </>
  );
}
