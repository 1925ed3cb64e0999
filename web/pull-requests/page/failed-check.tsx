import type { CheckJob } from '#contract/runs/pull-requests.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { AssessmentLine } from '../../failures/assessment-line.tsx';
import { SameFailures } from '../../failures/same-failures.tsx';
import { quietLink } from '../../runs/quiet-link.ts';
import { RunLink } from '../../runs/run-link.tsx';
import { clip } from '../../ui/text/clip.ts';

/** Why a job failed: step, error line, assessment. The run has the log. */
export function FailedCheck({ run, job }: { run: WorkflowRun; job: CheckJob }) {
  const { name, jobId, failure } = job;
  return (
    <li className="flex min-w-0 flex-col gap-1 border-l-2 border-failed pl-3">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <RunLink runId={run.runId} search={{ job: jobId }} className={`min-w-0 truncate ${quietLink}`}>
          <bdi className="font-medium">{clip(name)}</bdi>
          {failure?.step && <bdi className="text-muted"> – {clip(failure.step.name)}</bdi>}
        </RunLink>
        {failure?.assessment && <AssessmentLine assessment={failure.assessment} />}
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
