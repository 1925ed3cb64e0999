import { useMutation, useQueryClient } from '@tanstack/react-query';
import ChevronDown from 'lucide-react/icons/chevron-down';
import type { Deployment } from '#contract/metrics/deployments.ts';
import { sendJson } from '../api/client.ts';
import { useRoleReason } from '../integrations/use-integration.ts';
import { Button, plainLook } from '../ui/button.tsx';
import { FormError } from '../ui/form/form.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { ChoiceMenu } from '../ui/menu/menu.tsx';

const choices = [
  { value: 'rules', label: 'As the rules say' },
  { value: 'failed', label: 'Failed' },
  { value: 'fine', label: 'Did not fail' },
];

/** Whether a deployment failed, as a menu; for viewers as a button that says why they cannot change it. */
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
  // Without a rule or a person that says something, nothing is known.
  const label = failure !== null ? 'Failed' : mark !== null ? 'Did not fail' : 'Judge';
  const name = `Verdict on ${sha.slice(0, 7)}`;
  if (reason !== undefined)
    return (
      <Button reason={reason} aria-label={`${name}: ${label}`}>
        {label}
      </Button>
    );
  const value = mark === null ? 'rules' : mark.hasFailed ? 'failed' : 'fine';
  return (
    <>
      <ChoiceMenu
        label={name}
        className={plainLook}
        value={value}
        groups={[choices]}
        onChoose={(choice) => {
          if (choice !== value) mutate(choice);
        }}
      >
        <span className="sr-only">{name}: </span>
        {label}
        <ChevronDown size={14} aria-hidden className="shrink-0" />
      </ChoiceMenu>
      {error && <FormError error={error} />}
    </>
  );
}
