import { Link } from '@tanstack/react-router';
import type { CheckJob } from '#contract/runs/pull-requests.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { AssessmentLine } from '../../failures/assessment-line.tsx';
import { clip } from '../../ui/text/clip.ts';

/** Why a job failed: step, error line, assessment. The run has the log. */
export function FailedCheck({
  integrationId,
  run,
  job,
}: {
  integrationId: string;
  run: WorkflowRun;
  job: CheckJob;
}) {
  const { name, jobId, failure } = job;
  return (
    <li className="flex min-w-0 flex-col gap-1 border-l-2 border-failed pl-3">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <Link
          to="/integrations/$integrationId/runs/$runId"
          params={{ integrationId, runId: String(run.runId) }}
          search={{ job: jobId }}
          className="min-w-0 truncate underline decoration-line-strong underline-offset-3 hover:decoration-current"
        >
          <bdi className="font-medium">{clip(name)}</bdi>
          {failure?.step && <bdi className="text-muted"> – {clip(failure.step.name)}</bdi>}
        </Link>
        {failure?.assessment && <AssessmentLine assessment={failure.assessment} />}
        {failure?.groupId && (
          <Link
            to="/integrations/$integrationId/failures/$groupId"
            params={{ integrationId, groupId: failure.groupId }}
            className="text-xs text-accent underline"
          >
            Same failures<span className="sr-only"> as {clip(name)}</span>
          </Link>
        )}
      </div>
      <p className="font-mono text-xs leading-5 wrap-anywhere text-failed">
        <bdi>{failure?.errorLine ?? 'The job failed'}</bdi>
      </p>
      {failure?.log === 'reading' && <p className="text-xs text-muted">Reading the log…</p>}
    </li>
  );
}
