import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TestSummary } from '#contract/tests/tests.ts';
import { sendJson } from '../api/client.ts';
import { useRoleReason } from '../integrations/use-integration.ts';
import { Button } from '../ui/button.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { FormError } from '../ui/form/form.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { testsPath } from './tests-path.ts';

const QuarantineDialog = lazyPart(
  'quarantine-dialog',
  'QuarantineDialog',
  () => import('./quarantine-dialog.tsx'),
);

/** Begins, changes and ends the quarantine of a test. A button that cannot be used says why. */
export function QuarantineActions({ integrationId, test }: { integrationId: string; test: TestSummary }) {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const roleReason = useRoleReason(integrationId, 'member');
  const end = useMutation({
    mutationFn: () => sendJson('DELETE', `${testsPath(integrationId)}/${test.testId}/quarantine`),
    onSuccess: async () => {
      toast('Quarantine ended');
      await client.invalidateQueries({ queryKey: [testsPath(integrationId)] });
    },
  });
  return (
    <div className="mt-4 flex flex-wrap items-center gap-2">
      <Button reason={roleReason ?? stateReason(test)} onClick={() => setOpen(true)}>
        {test.quarantine === null ? 'Quarantine…' : 'Change quarantine…'}
      </Button>
      {test.quarantine !== null && (
        <Button reason={roleReason} disabled={end.isPending} onClick={() => end.mutate()}>
          End quarantine
        </Button>
      )}
      {end.error && <FormError error={end.error} />}
      {isOpen && (
        <QuarantineDialog integrationId={integrationId} test={test} onClose={() => setOpen(false)} />
      )}
    </div>
  );
}

/** The server refuses the same. */
function stateReason({ state, quarantine }: TestSummary): string | undefined {
  if (state === 'broken')
    return 'It fails on the default branch. A broken test cannot be put into quarantine';
  if (state !== 'flaky' && quarantine === null) return 'Only flaky tests can be put into quarantine';
  return undefined;
}
