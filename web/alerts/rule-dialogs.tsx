import type { NotificationRule } from '#contract/alerts/alerts.ts';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../ui/use-remove.ts';
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
  const remove = useRemove(rulesPath(integrationId));
  const { what, rule } = open;
  if (what === 'history') return <RuleHistory integrationId={integrationId} rule={rule} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={`Delete the rule “${rule.name}”?`}
      action="Delete"
      onConfirm={() => remove('Rule deleted', rule.ruleId)}
      onClose={onClose}
    >
      <p>
        The rule sends no more notifications, and its notification history is deleted. Incidents are kept.
      </p>
    </ConfirmDialog>
  );
}
