import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { Button } from '../../ui/button.tsx';
import { clip } from '../../ui/text/clip.ts';
import { isOver } from '../run-status.ts';
import { actedRun, runActions, type RunAction } from './run-action.ts';
import { useIsConnected } from './use-is-connected.ts';
import { useRunAction } from './use-run-action.tsx';

/** Re-runs or cancels the run at the forge. */
export function RunActions({ run }: { run: WorkflowRun }) {
  if (!useIsConnected(run)) return null;
  const { rerunFailed, rerunAll, cancel } = runActions;
  const hasFailed = run.conclusion !== 'success' && run.conclusion !== 'skipped';
  const actions = isOver(run) ? [...(hasFailed ? [rerunFailed] : []), rerunAll] : [cancel];
  return (
    <div className="flex flex-wrap gap-2">
      {actions.map((action) => (
        <ActionButton key={action.label} run={run} action={action} />
      ))}
    </div>
  );
}

/** Re-runs one job of a completed run. */
export function JobAction({ run, job }: { run: WorkflowRun; job: WorkflowJob }) {
  const isPossible = useIsConnected(run) && isOver(run) && job.attempt === run.attempt;
  if (!isPossible) return null;
  const action: RunAction = {
    label: 'Re-run job',
    question: `Re-run ${clip(job.name, 100)}?`,
    rest: 'rerun',
    body: { scope: 'job', jobId: job.jobId },
    done: 'The forge re-runs the job',
  };
  return <ActionButton run={run} action={action} />;
}

function ActionButton({ run, action }: { run: WorkflowRun; action: RunAction }) {
  const { ask, dialog } = useRunAction(actedRun(run), action);
  const reason = useRoleReason(run.integrationId, 'member');
  return (
    <>
      <Button reason={reason} onClick={ask}>
        {action.label}
      </Button>
      {dialog}
    </>
  );
}
