import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { NotificationRule, SavedRule } from '#contract/alerts/alerts.ts';
import { sendJson } from '../../api/client.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { LeaveGuard } from '../../ui/dialog/leave-guard.tsx';
import { discardQuestion } from '../../ui/dialog/leave-question.ts';
import { toast } from '../../ui/dialog/toast.ts';
import { Form } from '../../ui/form/form.tsx';
import { rulesPath } from '../alert-paths.ts';
import { bodyOf, draftOf, type RuleDraft } from '../rule-form/rule-draft.ts';
import { AdvancedFields } from './advanced-fields.tsx';
import { BackTestPanel } from './previews/back-test-panel.tsx';
import { MatchPreview } from './previews/match-preview.tsx';
import { RuleSentence } from './sentence/rule-sentence.tsx';
import { savedText } from './saved-text.ts';
import { SigningSecrets } from './signing-secrets.tsx';

interface RuleEditorProps {
  integrationId: string;
  /** Undefined for a new rule. */
  rule: NotificationRule | undefined;
  /** A new rule at first. */
  start: RuleDraft;
  /** All rules, whose channels can be used again. */
  rules: readonly NotificationRule[];
  onClose: () => void;
}

/** The form of a rule, and beside it what the rule matches and would have sent. */
export function RuleEditor(props: RuleEditorProps) {
  const { integrationId, rule, start, onClose } = props;
  const [initial] = useState(() => (rule === undefined ? start : draftOf(rule)));
  const [draft, setDraft] = useState(initial);
  const reason = useRoleReason(integrationId, 'member');
  const mayLeave = useRef(false);
  const leave = (): void => {
    mayLeave.current = true;
    onClose();
  };
  const save = useSave(props, draft, leave);
  const change = (changed: Partial<RuleDraft>): void => setDraft((all) => ({ ...all, ...changed }));
  if (save.data)
    return (
      <>
        <LeaveGuard
          isActive={() => !mayLeave.current}
          title="Leave without the secret?"
          text="The signing secret is shown only once. Without it, the receiver cannot check webhooks."
          action="Leave"
          dismiss="Stay"
        />
        <SigningSecrets rule={save.data} onClose={leave} />
      </>
    );
  return (
    <div className="grid gap-8 px-4 py-5 xl:grid-cols-[minmax(0,42rem)_minmax(20rem,1fr)]">
      <LeaveGuard
        isActive={() => !mayLeave.current && JSON.stringify(draft) !== JSON.stringify(initial)}
        {...discardQuestion}
      />
      <Form
        submit={rule === undefined ? 'Create rule' : 'Save rule'}
        request={save}
        reason={reason}
        onSubmit={() => save.mutate()}
        onCancel={onClose}
      >
        <fieldset disabled={reason !== undefined} className="flex min-w-0 flex-col gap-4">
          <RuleSentence {...props} draft={draft} isNew={rule === undefined} onChange={change} />
          <AdvancedFields draft={draft} onChange={change} />
        </fieldset>
      </Form>
      <div className="flex min-w-0 flex-col gap-5 self-start xl:sticky xl:top-5">
        {draft.watch !== 'weekly_digest' && <MatchPreview integrationId={integrationId} patterns={draft} />}
        <BackTestPanel
          // The answer about failures is none about a digest.
          key={String(draft.watch === 'weekly_digest')}
          integrationId={integrationId}
          draft={draft}
          isNew={rule === undefined}
          reason={reason}
        />
      </div>
    </div>
  );
}

function useSave({ integrationId, rule }: RuleEditorProps, draft: RuleDraft, onSaved: () => void) {
  const client = useQueryClient();
  const path = rulesPath(integrationId);
  const isShownOnce = ({ channels }: SavedRule): boolean =>
    channels.some(({ signingSecret }) => signingSecret !== null);
  const { data, ...save } = useMutation({
    mutationFn: () =>
      sendJson<SavedRule>(
        rule === undefined ? 'POST' : 'PUT',
        rule === undefined ? path : `${path}/${rule.ruleId}`,
        bodyOf(draft),
      ),
    onSuccess: async (saved) => {
      toast(savedText(rule === undefined ? 'Rule created' : 'Rule saved', saved.notifiesNow));
      await client.invalidateQueries({ queryKey: [path] });
      if (!isShownOnce(saved)) onSaved();
    },
  });
  return { ...save, data: data !== undefined && isShownOnce(data) ? data : undefined };
}
