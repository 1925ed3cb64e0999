import { useQueryClient } from '@tanstack/react-query';
import type { NotificationRule } from '#contract/alerts/alerts.ts';
import { sendJson } from '../api/client.ts';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { rulesPath } from './alert-paths.ts';
import { RuleHistory } from './rule-history.tsx';

export interface OpenRuleDialog {
  what: 'history' | 'deletion';
  rule: NotificationRule;
}

/** The history or the deletion of a rule. They load when the first one opens. */
export function RuleDialogs({
  integrationId,
  open,
  onClose,
}: {
  integrationId: string;
  open: OpenRuleDialog;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const { what, rule } = open;
  if (what === 'history') return <RuleHistory integrationId={integrationId} rule={rule} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={`Delete the rule “${rule.name}”?`}
      action="Delete"
      onConfirm={async () => {
        await sendJson('DELETE', `${rulesPath(integrationId)}/${rule.ruleId}`);
        toast('Rule deleted');
        await client.invalidateQueries({ queryKey: [rulesPath(integrationId)] });
      }}
      onClose={onClose}
    >
      <p>
        The rule sends no more notifications, and its notification history is deleted. Incidents are kept.
      </p>
    </ConfirmDialog>
  );
}
