import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { eventTexts } from '../webhook-texts.ts';
import { SubscriptionActions } from './subscription-actions.tsx';
import type { OpenSubscriptionDialog } from './subscription-dialogs.tsx';
import { SubscriptionStateLines } from './subscription-state.tsx';

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
