import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { defaultGraceHours } from '#contract/integrations/integrations.ts';
import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { sendJson } from '../../api/client.ts';
import { graceChoices } from '../../integrations/settings/grace-choices.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { SelectField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { exactTime } from '../../ui/time/exact-time.ts';
import { subscriptionsPath } from '../webhook-queries.ts';
import { SigningSecret } from './signing-secret.tsx';

/** Replaces the signing secret of a subscription and shows the new one once. */
export function SecretDialog({
  integrationId,
  subscription: { subscriptionId, name, previousSecretUntil },
  onClose,
}: {
  integrationId: string;
  subscription: WebhookSubscription;
  onClose: () => void;
}) {
  const [graceHours, setGraceHours] = useState(String(defaultGraceHours));
  const client = useQueryClient();
  const path = subscriptionsPath(integrationId);
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () =>
      sendJson<WebhookSubscription>('POST', `${path}/${subscriptionId}/secret`, {
        graceHours: Number(graceHours),
      }),
    onSuccess: () => void client.invalidateQueries({ queryKey: [path] }),
  });
  return (
    <Dialog
      title={`Replace the signing secret of ${name}`}
      leaving={data === undefined ? 'asks' : 'barred'}
      onClose={onClose}
    >
      {data === undefined ? (
        <Form
          submit="Replace secret"
          isPending={isPending}
          error={error}
          onSubmit={() => mutate()}
          beside={<Button onClick={onClose}>Cancel</Button>}
        >
          <p>
            Webhooks are signed with both secrets for a while, so that the receiver can change without loss.
          </p>
          {previousSecretUntil !== null && (
            <p>
              <strong>The secret from before the last replacement stops signing immediately</strong>, not at{' '}
              {exactTime(previousSecretUntil)}.
            </p>
          )}
          <SelectField
            name="graceHours"
            label="Previous secret signs too"
            options={graceChoices}
            value={graceHours}
            onChange={({ target }) => setGraceHours(target.value)}
          />
        </Form>
      ) : (
        <SigningSecret
          done="Secret replaced."
          secret={data.signingSecret ?? ''}
          note={
            data.previousSecretUntil === null
              ? 'The previous secret does not sign any more.'
              : `The previous secret signs too until ${exactTime(data.previousSecretUntil)}.`
          }
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}
