import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../../ui/use-remove.ts';
import { subscriptionsPath } from '../webhook-queries.ts';
import { sendJson } from '../../api/client.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { exactTime } from '../../ui/time/exact-time.ts';
import { ReplaceSecretForm } from '../../integrations/settings/replace-secret-form.tsx';
import { SubscriptionDialog } from './subscription-dialog.tsx';
import { useSetEnabled } from './use-set-enabled.ts';
import { SigningSecret } from './signing-secret.tsx';

export type OpenSubscriptionDialog =
  /** Without a subscription, a new one is added. */
  | { what: 'form'; subscription?: WebhookSubscription }
  | { what: 'secret' | 'pause' | 'deletion'; subscription: WebhookSubscription };

/** The dialogs of the list of subscriptions. They load when the first one opens. */
export function SubscriptionDialogs({
  integrationId,
  open,
  onClose,
}: {
  integrationId: string;
  open: OpenSubscriptionDialog;
  onClose: () => void;
}) {
  const { what, subscription } = open;
  const shared = { integrationId, onClose };
  if (what === 'form') return <SubscriptionDialog {...shared} saved={subscription} />;
  if (what === 'secret') return <SecretDialog {...shared} subscription={subscription} />;
  return what === 'pause' ? (
    <PauseDialog {...shared} subscription={subscription} />
  ) : (
    <DeleteDialog {...shared} subscription={subscription} />
  );
}

interface DialogProps {
  integrationId: string;
  subscription: WebhookSubscription;
  onClose: () => void;
}

function PauseDialog({ integrationId, subscription, onClose }: DialogProps) {
  const setEnabled = useSetEnabled(integrationId, subscription);
  return (
    <ConfirmDialog
      title={`Disable ${subscription.name}?`}
      action="Disable"
      variant="primary"
      onConfirm={() => setEnabled(false)}
      onClose={onClose}
    >
      <p>
        Events that happen until it is enabled are not sent, also not later. Webhooks that wait are failed;
        they can be replayed.
      </p>
    </ConfirmDialog>
  );
}

function DeleteDialog({ integrationId, subscription: { subscriptionId, name }, onClose }: DialogProps) {
  const remove = useRemove(subscriptionsPath(integrationId));
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete"
      onConfirm={() => remove('Subscription deleted', subscriptionId)}
      onClose={onClose}
    >
      <p>Webhooks that wait are not sent. The delivery log and the signing secret are lost.</p>
    </ConfirmDialog>
  );
}

/** Replaces the signing secret of a subscription and shows the new one once. */
function SecretDialog({
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
