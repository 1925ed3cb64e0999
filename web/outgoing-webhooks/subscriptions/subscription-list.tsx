import { useMutation } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import Pause from 'lucide-react/icons/pause';
import Pencil from 'lucide-react/icons/pencil';
import Play from 'lucide-react/icons/play';
import Send from 'lucide-react/icons/send';
import Trash2 from 'lucide-react/icons/trash-2';
import type { LucideIcon } from 'lucide-react';
import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { eventTexts } from '../webhook-texts.ts';
import { IconButton } from '../../ui/button.tsx';
import { FormError } from '../../ui/form/form.tsx';
import type { OpenSubscriptionDialog } from './subscription-dialogs.tsx';
import { SubscriptionStateLines } from './subscription-state.tsx';
import { useSendTest } from './use-send-test.ts';
import { useSetEnabled } from './use-set-enabled.ts';

/** The subscriptions with their states, newest last. */
export function SubscriptionList({
  integrationId,
  subscriptions,
  reason,
  onOpen,
}: {
  integrationId: string;
  subscriptions: readonly WebhookSubscription[];
  reason: string | undefined;
  onOpen: (dialog: OpenSubscriptionDialog) => void;
}) {
  if (subscriptions.length === 0)
    return (
      <p className="text-muted">
        No subscriptions. Add one to get an HTTP request when a run completes, a new failure appears or
        members change.
      </p>
    );
  return (
    <ul aria-label="Webhook subscriptions">
      {subscriptions.map((subscription) => (
        <li
          key={subscription.subscriptionId}
          className="flex flex-col gap-1 border-t border-line py-3 first:border-t-0 first:pt-0"
        >
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
            <p className="min-w-0 wrap-anywhere">
              <bdi className="font-medium">{subscription.name}</bdi>{' '}
              <span className="text-muted">
                to <bdi className="wrap-anywhere">{subscription.host}</bdi>
              </span>
            </p>
            <SubscriptionActions
              integrationId={integrationId}
              subscription={subscription}
              reason={reason}
              onOpen={onOpen}
            />
          </div>
          <p className="text-muted">
            {subscription.eventTypes.map((type) => eventTexts[type].label).join(', ')}
          </p>
          <SubscriptionStateLines integrationId={integrationId} subscription={subscription} />
        </li>
      ))}
    </ul>
  );
}

/** What admins do with a subscription. */
function SubscriptionActions({
  integrationId,
  subscription,
  reason,
  onOpen,
}: {
  integrationId: string;
  subscription: WebhookSubscription;
  /** Why this person cannot change it. */
  reason: string | undefined;
  onOpen: (dialog: OpenSubscriptionDialog) => void;
}) {
  const { name, enabled } = subscription;
  const test = useSendTest(integrationId, subscription.subscriptionId);
  const setEnabled = useSetEnabled(integrationId, subscription);
  const enable = useMutation({ mutationFn: () => setEnabled(true) });
  const error = test.error ?? enable.error;
  const opener = (what: 'form' | 'secret' | 'deletion', label: string, Icon: LucideIcon) => (
    <IconButton label={label} reason={reason} onClick={() => onOpen({ what, subscription })}>
      <Icon size={15} aria-hidden />
    </IconButton>
  );
  return (
    <>
      <span className="inline-flex">
        <IconButton
          label={`Send a test to ${name}`}
          reason={reason ?? (enabled ? undefined : 'Enable the subscription first')}
          disabled={test.isPending}
          onClick={() => test.mutate()}
        >
          <Send size={15} aria-hidden />
        </IconButton>
        {opener('form', `Edit ${name}`, Pencil)}
        {opener('secret', `Replace the signing secret of ${name}`, KeyRound)}
        {/* One button in both states, so that it keeps the focus. */}
        <IconButton
          label={`${enabled ? 'Disable' : 'Enable'} ${name}`}
          reason={reason}
          disabled={enable.isPending}
          onClick={() => (enabled ? onOpen({ what: 'pause', subscription }) : enable.mutate())}
        >
          {enabled ? <Pause size={15} aria-hidden /> : <Play size={15} aria-hidden />}
        </IconButton>
        {opener('deletion', `Delete ${name}`, Trash2)}
      </span>
      {error && (
        <div className="basis-full">
          <FormError error={error} />
        </div>
      )}
    </>
  );
}
