import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Deployment } from '#contract/metrics/deployments.ts';
import { sendJson } from '../api/client.ts';
import { useRoleReason } from '../integrations/use-integration.ts';
import { toast } from '../ui/dialog/toast.ts';
import { StateMenu } from '../ui/menu/state-menu.tsx';

const choices = [
  { value: 'rules', label: 'As the rules say' },
  { value: 'failed', label: 'Failed' },
  { value: 'fine', label: 'Did not fail' },
];

/** Whether a deployment failed. */
export function DeploymentVerdict({
  integrationId,
  deployment: { key, sha, failure, mark },
}: {
  integrationId: string;
  deployment: Deployment;
}) {
  const client = useQueryClient();
  const reason = useRoleReason(integrationId, 'member');
  const base = `/api/integrations/${integrationId}`;
  const { mutate, error } = useMutation({
    mutationFn: (choice: string) =>
      choice === 'rules'
        ? sendJson('DELETE', `${base}/deployments/${key}/mark`)
        : sendJson('PUT', `${base}/deployments/${key}/mark`, { hasFailed: choice === 'failed' }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [`${base}/health`] });
      toast('Deployment judged');
    },
  });
  const value = mark === null ? 'rules' : mark.hasFailed ? 'failed' : 'fine';
  return (
    <StateMenu
      name={`Verdict on ${sha.slice(0, 7)}`}
      // Without a rule or a person that says something, nothing is known.
      label={failure !== null ? 'Failed' : mark !== null ? 'Did not fail' : 'Judge'}
      value={value}
      choices={choices}
      reason={reason}
      error={error}
      onChoose={(choice) => {
        if (choice !== value) mutate(choice);
      }}
    />
  );
}
