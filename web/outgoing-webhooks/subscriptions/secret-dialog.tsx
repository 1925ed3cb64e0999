import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { sendJson } from '../../api/client.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { exactTime } from '../../ui/time/exact-time.ts';
import { subscriptionsPath } from '../webhook-queries.ts';
import { SigningSecret } from './signing-secret.tsx';
import { ReplaceSecretForm } from '../../integrations/settings/replace-secret-form.tsx';

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
  const client = useQueryClient();
  const path = subscriptionsPath(integrationId);
  const { data, ...replace } = useMutation({
    mutationFn: (graceHours: number) =>
      sendJson<WebhookSubscription>('POST', `${path}/${subscriptionId}/secret`, { graceHours }),
    onSuccess: () => void client.invalidateQueries({ queryKey: [path] }),
  });
  return (
    <Dialog
      title={`Replace the signing secret of ${name}`}
      leaving={data === undefined && !replace.isPending ? 'asks' : 'barred'}
      onClose={onClose}
    >
      {data === undefined ? (
        <ReplaceSecretForm
          label="Previous secret signs too"
          request={replace}
          onReplace={replace.mutate}
          onCancel={onClose}
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
        </ReplaceSecretForm>
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
