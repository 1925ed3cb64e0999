import { useMutation, useQueryClient } from '@tanstack/react-query';
import ChevronDown from 'lucide-react/icons/chevron-down';
import type { ChangeGroupBody, FailureGroup } from '#contract/failures/failures.ts';
import { sendJson } from '../../api/client.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { FormError } from '../../ui/form/form.tsx';
import { ChoiceMenu } from '../../ui/menu/menu.tsx';
import { pill } from '../../ui/menu/pill.ts';
import { groupsPath } from './groups-path.ts';
import { statusLabels } from './group-status-texts.ts';

const dayMs = 86_400_000;

type Change = Pick<ChangeGroupBody, 'status'> & { days?: number };

/** The values of the menu. Days are how long the group is ignored. */
const changes: Record<string, Change & { label: string }> = {
  open: { status: 'open', label: statusLabels.open },
  acknowledged: { status: 'acknowledged', label: statusLabels.acknowledged },
  flaky: { status: 'flaky', label: statusLabels.flaky },
  ignored: { status: 'ignored', label: statusLabels.ignored },
  'ignored-7': { status: 'ignored', days: 7, label: 'Ignored for a week' },
  'ignored-30': { status: 'ignored', days: 30, label: 'Ignored for 30 days' },
};

/** The status of a group as a menu; for viewers as a button that says why it cannot be changed. */
export function GroupStatus({ integrationId, group }: { integrationId: string; group: FailureGroup }) {
  const client = useQueryClient();
  const reason = useRoleReason(integrationId, 'member');
  const { mutate, error } = useMutation({
    mutationFn: ({ status, days }: Change) => {
      const until = days === undefined ? {} : { until: new Date(Date.now() + days * dayMs).toISOString() };
      return sendJson('PATCH', `${groupsPath(integrationId)}/${group.groupId}`, { status, ...until });
    },
    onSuccess: async (_, { status }) => {
      toast(`Status changed: ${statusLabels[status].toLowerCase()}`);
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
        className={group.status === 'open' ? pill.open : pill.set}
        value={group.status}
        groups={[Object.entries(changes).map(([value, change]) => ({ value, label: change.label }))]}
        onChoose={(value) => {
          const change = changes[value];
          if (change !== undefined) mutate(change);
        }}
      >
        {label}
        <ChevronDown size={14} aria-hidden className="shrink-0" />
      </ChoiceMenu>
      {error && <FormError error={error} />}
    </>
  );
}
