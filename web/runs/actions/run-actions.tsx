import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import type { RunActions as Actions } from '#contract/runs/run-actions.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { clip } from '../../ui/text/clip.ts';
import { isOver } from '../run-status.ts';
import { titleOf } from '../run-texts.ts';

const pathOf = ({ integrationId, runId }: WorkflowRun): string =>
  `/api/integrations/${integrationId}/workflows/${runId}`;

/**
 * Whether the forge of the run is connected. Without a connection, no buttons are shown. The answer is the same for all runs of a
 * repository.
 */
function useIsConnected(run: WorkflowRun): boolean {
  const { data } = useQuery({
    queryKey: ['run-actions', run.integrationId, run.repository],
    queryFn: ({ signal }) => getJson<Actions>(`${pathOf(run)}/actions`, signal),
  });
  return data?.isConnected ?? false;
}

interface Choice {
  label: string;
  /** The title of the confirmation. */
  question: string;
  rest: 'rerun' | 'cancel';
  body?: object;
  done: string;
}

const failed: Choice = {
  label: 'Re-run failed jobs',
  question: 'Re-run the failed jobs?',
  rest: 'rerun',
  body: { scope: 'failed' },
  done: 'The forge re-runs the failed jobs',
};
const all: Choice = {
  label: 'Re-run all jobs',
  question: 'Re-run all jobs?',
  rest: 'rerun',
  body: { scope: 'all' },
  done: 'The forge re-runs all jobs',
};
const cancel: Choice = {
  label: 'Cancel run',
  question: 'Cancel the run?',
  rest: 'cancel',
  done: 'The forge cancels the run',
};

/** Re-runs or cancels the run at the forge. */
export function RunActions({ run }: { run: WorkflowRun }) {
  if (!useIsConnected(run)) return null;
  const hasFailed = run.conclusion !== 'success' && run.conclusion !== 'skipped';
  const choices = isOver(run) ? [...(hasFailed ? [failed] : []), all] : [cancel];
  return (
    <div className="flex flex-wrap gap-2">
      {choices.map((choice) => (
        <ActionButton key={choice.label} run={run} choice={choice} />
      ))}
    </div>
  );
}

/** Re-runs one job of a completed run. */
export function JobAction({ run, job }: { run: WorkflowRun; job: WorkflowJob }) {
  const isPossible = useIsConnected(run) && isOver(run) && job.attempt === run.attempt;
  if (!isPossible) return null;
  const choice: Choice = {
    label: 'Re-run job',
    question: `Re-run ${clip(job.name, 100)}?`,
    rest: 'rerun',
    body: { scope: 'job', jobId: job.jobId },
    done: 'The forge re-runs the job',
  };
  return <ActionButton run={run} choice={choice} />;
}

function ActionButton({ run, choice }: { run: WorkflowRun; choice: Choice }) {
  const [isAsking, setAsking] = useState(false);
  const reason = useRoleReason(run.integrationId, 'member');
  const { label, question, rest, body, done } = choice;
  return (
    <>
      <Button reason={reason} onClick={() => setAsking(true)}>
        {label}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={question}
          action={label}
          variant={choice === cancel ? 'danger' : 'primary'}
          dismiss={choice === cancel ? 'Keep running' : 'Cancel'}
          onConfirm={async () => {
            await sendJson('POST', `${pathOf(run)}/${rest}`, body);
            toast(done);
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            <bdi>{clip(titleOf(run), 200)}</bdi>
            {run.runNumber !== null && ` #${run.runNumber}`} of <bdi>{run.repository}</bdi>
            {run.headBranch !== null && (
              <>
                {' '}
                on the branch <bdi className="font-medium">{clip(run.headBranch, 200)}</bdi>
              </>
            )}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
