import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FailureGroup } from '#contract/failures/failures.ts';
import { sendJson } from '../../api/client.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { toast } from '../../ui/dialog/toast.ts';
import { StateMenu } from '../../ui/menu/state-menu.tsx';
import { groupsPath } from './groups-path.ts';
import { statusLabels } from './group-status-texts.ts';

const dayMs = 86_400_000;

/** The values of the menu: a status, and after a dash for how many days. */
const labels: Record<string, string> = {
  ...statusLabels,
  'ignored-7': 'Ignored for a week',
  'ignored-30': 'Ignored for 30 days',
};
const choices = Object.entries(labels).map(([value, label]) => ({ value, label }));
const unspecificChoices = choices.filter(({ value }) => value === 'open' || value === 'acknowledged');

export function GroupStatus({ integrationId, group }: { integrationId: string; group: FailureGroup }) {
  const client = useQueryClient();
  const reason = useRoleReason(integrationId, 'member');
  const { mutate, error } = useMutation({
    mutationFn: (choice: string) => {
      const [status, days] = choice.split('-');
      const until = days && new Date(Date.now() + Number(days) * dayMs).toISOString();
      return sendJson('PATCH', `${groupsPath(integrationId)}/${group.groupId}`, { status, until });
    },
    onSuccess: async (_, choice) => {
      toast(`Status changed: ${labels[choice]?.toLowerCase()}`);
      await client.invalidateQueries({ queryKey: [groupsPath(integrationId)] });
    },
  });
  return (
    <StateMenu
      name={`Status of ${group.job}`}
      label={statusLabels[group.status]}
      value={group.status}
      choices={group.isSpecific ? choices : unspecificChoices}
      reason={reason}
      error={error}
      onChoose={mutate}
    />
  );
}
