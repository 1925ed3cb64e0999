import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useRoleReason } from '../integrations/use-integration.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { clip } from '../ui/text/clip.ts';
import { HiddenSince, ShowAgain } from './hidden-workflow.tsx';
import { hiddenQuery, useHiding } from './hiding.ts';

/** Hides the workflow, or says who hid it and shows it again. */
export function HideWorkflow({
  integrationId,
  repository,
  workflow,
}: {
  integrationId: string;
  repository: string;
  workflow: string;
}) {
  const [isAsking, setAsking] = useState(false);
  const reason = useRoleReason(integrationId, 'admin');
  const { data } = useQuery(hiddenQuery(integrationId));
  const { hide } = useHiding(integrationId);
  const hidden = data?.find((each) => each.repository === repository && each.workflow === workflow);
  if (hidden !== undefined)
    return (
      <>
        <HiddenSince hidden={hidden} />
        <ShowAgain integrationId={integrationId} hidden={hidden} />
      </>
    );
  return (
    // Keeps its room until it is known.
    <div className={`contents ${data === undefined ? 'invisible' : ''}`}>
      <Button reason={reason} onClick={() => setAsking(true)}>
        Hide…
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Hide ${clip(workflow, 100)}?`}
          action="Hide"
          onConfirm={() => hide({ repository, workflow })}
          onClose={() => setAsking(false)}
        >
          <p>
            It leaves the wallboard, CCTray, badges and “Needs attention”, its open incidents close, and rules
            ignore its failures until somebody shows it again. Its runs stay in lists and figures.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
