import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../../ui/use-remove.ts';
import { subscriptionsPath } from '../webhook-queries.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { SubscriptionDialog } from './subscription-dialog.tsx';
import { useSetEnabled } from './use-set-enabled.ts';

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
