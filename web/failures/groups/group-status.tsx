import { useMutation, useQueryClient } from '@tanstack/react-query';
import ChevronDown from 'lucide-react/icons/chevron-down';
import type { FailureGroup } from '#contract/failures/failures.ts';
import { sendJson } from '../../api/client.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { Button, plainLook } from '../../ui/button.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { FormError } from '../../ui/form/form.tsx';
import { ChoiceMenu } from '../../ui/menu/menu.tsx';
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

/** The status of a group as a menu; for viewers as a button that says why it cannot be changed. */
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
  const label = statusLabels[group.status];
  if (reason !== undefined) {
    return (
      <Button reason={reason} aria-label={`Status: ${label}`}>
        {label}
      </Button>
    );
  }
  return (
    <>
      <ChoiceMenu
        label={`Status of ${group.job}`}
        className={plainLook}
        value={group.status}
        groups={[group.isSpecific ? choices : unspecificChoices]}
        onChoose={mutate}
      >
        {label}
        <ChevronDown size={14} aria-hidden className="shrink-0" />
      </ChoiceMenu>
      {error && <FormError error={error} />}
    </>
  );
}
