import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { NotificationRule, SavedRule } from '#contract/alerts/alerts.ts';
import type { BackTestAnswer } from '#contract/alerts/back-test.ts';
import { sendJson } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/text/copy-text.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { CheckField, TextField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { rulesPath } from '../alert-queries.ts';
import { BackTestResult } from './back-test-result.tsx';
import { ChannelFields } from './channel-fields.tsx';
import { MatchPreview } from './match-preview.tsx';
import { savedText } from './saved-text.ts';
import { bodyOf, draftOf, emptyDraft, type RuleDraft } from './rule-draft.ts';
import { MatchFields, QuietFields } from './rule-fields.tsx';
import { WatchFields } from './watch-fields.tsx';

/** Creates a rule, or edits the given one. */
export function RuleEditor({
  integrationId,
  rule,
  onClose,
}: {
  integrationId: string;
  rule: NotificationRule | undefined;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState<RuleDraft>(() => (rule === undefined ? emptyDraft() : draftOf(rule)));
  const client = useQueryClient();
  const path = rulesPath(integrationId);
  const save = useMutation({
    mutationFn: () =>
      sendJson<SavedRule>(
        rule === undefined ? 'POST' : 'PUT',
        rule === undefined ? path : `${path}/${rule.ruleId}`,
        bodyOf(draft),
      ),
    onSuccess: async (saved) => {
      await client.invalidateQueries({ queryKey: [path] });
      toast(savedText(rule === undefined ? 'Rule created' : 'Rule saved', saved.notifiesNow));
      if (!saved.channels.some(({ signingSecret }) => signingSecret !== null)) onClose();
    },
  });
  const backTest = useMutation({
    mutationFn: () =>
      // Name and channels do not affect the result and may still be empty.
      sendJson<BackTestAnswer>('POST', `${path}/back-test`, {
        ...bodyOf(draft),
        name: 'Tried',
        channels: [],
      }),
  });
  const change = (changed: Partial<RuleDraft>): void => {
    setDraft((all) => ({ ...all, ...changed }));
    backTest.reset();
  };
  const title = rule === undefined ? 'New notification rule' : 'Edit notification rule';
  return (
    <Dialog
      title={title}
      place="wide"
      leaving={save.data === undefined ? 'asks' : 'barred'}
      onClose={onClose}
    >
      {save.data ? (
        <SigningSecrets rule={save.data} onClose={onClose} />
      ) : (
        <Form
          submit={rule === undefined ? 'Create rule' : 'Save rule'}
          isPending={save.isPending}
          error={save.error ?? backTest.error}
          onSubmit={() => {
            backTest.reset();
            save.mutate();
          }}
          beside={
            <>
              <Button
                disabled={backTest.isPending}
                aria-busy={backTest.isPending}
                onClick={() => {
                  save.reset();
                  backTest.mutate();
                }}
              >
                Test on the last 30 days
              </Button>
              <Button onClick={onClose}>Cancel</Button>
            </>
          }
        >
          <TextField
            name="name"
            label="Name"
            required
            maxLength={100}
            autoComplete="off"
            placeholder="Broken main"
            value={draft.name}
            onChange={({ target }) => change({ name: target.value })}
          />
          <WatchFields draft={draft} onChange={change} />
          <MatchFields draft={draft} onChange={change} />
          <MatchPreview integrationId={integrationId} patterns={draft} />
          <QuietFields draft={draft} onChange={change} />
          <ChannelFields channels={draft.channels} onChange={(channels) => change({ channels })} />
          <CheckField
            label="The rule is on"
            checked={draft.enabled}
            onChange={({ target }) => change({ enabled: target.checked })}
          />
          {backTest.data && <BackTestResult answer={backTest.data} />}
        </Form>
      )}
    </Dialog>
  );
}

function SigningSecrets({ rule, onClose }: { rule: NotificationRule; onClose: () => void }) {
  const made = rule.channels.filter(({ signingSecret }) => signingSecret !== null);
  return (
    <div className="flex flex-col gap-4">
      <p>
        Rule saved. Webhooks are signed as defined by Standard Webhooks. Copy the secret of each receiver now:
        it is shown only once.
      </p>
      {made.map(({ channelId, host, signingSecret }) => (
        <div key={channelId}>
          <p className="mb-1 font-medium">{host}</p>
          <CopyText name={`signing secret of ${host ?? 'the channel'}`} text={signingSecret ?? ''} />
        </div>
      ))}
      <div>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
