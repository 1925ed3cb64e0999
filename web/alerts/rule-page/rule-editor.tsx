import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ComponentProps, use, useLayoutEffect } from 'react';
import type { NotificationRule, SavedRule, TestSendAnswer } from '#contract/alerts/alerts.ts';
import { sendJson } from '../../api/client.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { LeaveGuard } from '../../ui/dialog/leave-guard.tsx';
import { discardQuestion } from '../../ui/dialog/leave-question.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { Form } from '../../ui/form/form.tsx';
import { rulesPath } from '../alert-paths.ts';
import { TestResults } from '../test-results.tsx';
import {
  bodyOf,
  draftOf,
  type ChannelDraft,
  type RuleDraft,
  type DraftProps,
} from '../rule-form/rule-draft.ts';
import { CheckField, TextField } from '../../ui/form/field.tsx';
import { FormFaults } from '../../ui/form/form-faults.ts';
import { ChannelFields } from '../rule-form/channel-fields.tsx';
import { suggestedName } from '../rule-form/suggested-name.ts';
import { MatchFields, QuietFields } from '../rule-form/rule-fields.tsx';
import { WatchFields } from '../rule-form/watch-fields.tsx';
import { BackTestPanel } from './previews/back-test-panel.tsx';
import { MatchPreview } from './previews/match-preview.tsx';
import { RuleSentence } from './sentence/rule-sentence.tsx';
import { savedText } from './saved-text.ts';
import { SigningSecrets } from './signing-secrets.tsx';
import { advancedSummary } from './advanced-summary.ts';

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
  const isNew = rule === undefined;
  const [initial] = useState(() => (rule === undefined ? start : draftOf(rule)));
  const [draft, setDraft] = useState(initial);
  const reason = useRoleReason(integrationId, 'member');
  const mayLeave = useRef(false);
  const leave = (): void => {
    mayLeave.current = true;
    onClose();
  };
  const save = useSave(props, draft, leave);
  const test = useTest(integrationId, draft);
  const isSending = save.isPending || test.isPending;
  const sendTest = (): void => {
    save.reset();
    test.mutate();
  };
  const change = (changed: Partial<RuleDraft>): void => {
    setDraft((all) => ({ ...all, ...changed }));
    if ('channels' in changed) test.reset();
  };
  if (save.data) return <NewSecrets rule={save.data} mayLeave={() => mayLeave.current} onClose={leave} />;
  return (
    <div className="grid gap-8 px-4 py-5 xl:grid-cols-[minmax(0,42rem)_minmax(20rem,1fr)]">
      <LeaveGuard
        isActive={() => !mayLeave.current && JSON.stringify(draft) !== JSON.stringify(initial)}
        {...discardQuestion}
      />
      <div className="flex min-w-0 flex-col gap-4">
        <Form
          submit={isNew ? 'Create rule' : 'Save rule'}
          request={{ isPending: isSending, error: save.error ?? test.error }}
          reason={reason}
          onSubmit={() => {
            test.reset();
            save.mutate();
          }}
          onCancel={onClose}
          beside={
            draft.channels.length > 0 && (
              <Button reason={reason} disabled={isSending} onClick={sendTest}>
                Send a test
              </Button>
            )
          }
        >
          <fieldset disabled={reason !== undefined} className="flex min-w-0 flex-col gap-4">
            <RuleSentence {...props} draft={draft} isNew={isNew} onChange={change} />
            <AdvancedFields draft={draft} onChange={change} />
          </fieldset>
        </Form>
        {test.data && <Tested draft={draft} answer={test.data} />}
      </div>
      <Previews {...{ integrationId, draft, isNew, reason }} onChange={change} />
    </div>
  );
}

/** Shows the secrets of a saved rule, and asks before they are left. */
function NewSecrets({
  mayLeave,
  ...props
}: ComponentProps<typeof SigningSecrets> & { mayLeave: () => boolean }) {
  return (
    <>
      <LeaveGuard
        isActive={() => !mayLeave()}
        title="Leave without the secret?"
        text="The signing secret is shown only once. Without it, the receiver cannot check webhooks."
        action="Leave"
        dismiss="Stay"
      />
      <SigningSecrets {...props} />
    </>
  );
}

function Previews(props: ComponentProps<typeof BackTestPanel>) {
  const { integrationId, draft } = props;
  const isDigest = draft.watch === 'weekly_digest';
  return (
    <div className="flex min-w-0 flex-col gap-5 self-start xl:sticky xl:top-5">
      {!isDigest && <MatchPreview integrationId={integrationId} patterns={draft} />}
      {/* The answer about failures is none about a digest. */}
      <BackTestPanel key={String(isDigest)} {...props} />
    </div>
  );
}

const useTest = (integrationId: string, draft: RuleDraft) =>
  useMutation({
    mutationFn: () => sendJson<TestSendAnswer>('POST', `${rulesPath(integrationId)}/test`, bodyOf(draft)),
  });

function Tested({ draft, answer }: { draft: RuleDraft; answer: TestSendAnswer }) {
  return (
    <>
      <TestResults ruleName={bodyOf(draft).name} results={answer.results} />
      {draft.channels.some(isNewWebhook) && (
        <p className="text-muted">
          A new webhook gets its signing secret when the rule is saved. Until then a receiver that checks
          signatures refuses the test.
        </p>
      )}
    </>
  );
}

const isNewWebhook = ({ type, channelId }: ChannelDraft): boolean =>
  type === 'webhook' && channelId === undefined;

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

/** Everything that the sentence leaves out, closed until it is asked for or has an error. */
function AdvancedFields({ draft, onChange }: DraftProps) {
  const { channels } = draft;
  return (
    <details className="rounded-md border border-line">
      <summary className="cursor-pointer px-3 py-2">
        <span className="font-semibold">Advanced</span>{' '}
        <span className="text-muted">{advancedSummary(draft)}</span>
      </summary>
      <OpenAtFault />
      <div className="flex flex-col gap-4 border-t border-line px-3 py-4">
        <TextField
          name="name"
          label="Name"
          maxLength={100}
          placeholder={suggestedName(draft)}
          value={draft.name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <WatchFields draft={draft} onChange={onChange} />
        <MatchFields draft={draft} onChange={onChange} />
        {draft.watch !== 'weekly_digest' && <QuietFields draft={draft} onChange={onChange} />}
        {channels.length > 0 && (
          <ChannelFields
            channels={channels.slice(1)}
            onChange={(further) => onChange({ channels: [...channels.slice(0, 1), ...further] })}
          />
        )}
        <CheckField
          label="The rule is on"
          checked={draft.enabled}
          onChange={({ target }) => onChange({ enabled: target.checked })}
        />
      </div>
    </details>
  );
}

/**
 * Opens the fields before the form moves the focus to the first error. A component of its own, because the errors change at each click: a
 * checkbox that renders during its click keeps its old value.
 */
function OpenAtFault() {
  const mark = useRef<HTMLSpanElement>(null);
  const hasFault = use(FormFaults).some(({ field }) => !field.startsWith('channels.0.'));
  useLayoutEffect(() => {
    if (hasFault) mark.current?.closest('details')?.setAttribute('open', '');
  }, [hasFault]);
  return <span ref={mark} hidden />;
}
