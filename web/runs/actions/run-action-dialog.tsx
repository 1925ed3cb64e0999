import { sendJson } from '../../api/client.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { clip } from '../../ui/text/clip.ts';
import { runPath } from '../run-path.ts';
import type { ActedRun, RunAction } from './run-action.ts';

/** Confirms and sends an action on a run. The forge's refusal is shown in it. */
export function RunActionDialog({
  run,
  action: { label, question, rest, body, done },
  onClose,
}: {
  run: ActedRun;
  action: RunAction;
  onClose: () => void;
}) {
  const isCancel = rest === 'cancel';
  return (
    <ConfirmDialog
      title={question}
      action={label}
      variant={isCancel ? 'danger' : 'primary'}
      dismiss={isCancel ? 'Keep running' : 'Cancel'}
      onConfirm={async () => {
        await sendJson('POST', `${runPath(run)}/${rest}`, body);
        toast(done);
      }}
      onClose={onClose}
    >
      <p>
        <bdi>{clip(run.title, 200)}</bdi>
        {run.runNumber !== null && ` #${run.runNumber}`} of <bdi>{run.repository}</bdi>
        {run.branch !== null && (
          <>
            {' '}
            on the branch <bdi className="font-medium">{clip(run.branch, 200)}</bdi>
          </>
        )}
      </p>
    </ConfirmDialog>
  );
}
