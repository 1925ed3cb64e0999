import { webhookLogDays } from '#contract/integrations/outgoing-webhooks.ts';
import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { Message } from '../../ui/page/message.tsx';
import { NoMatches } from '../../ui/page/no-matches.tsx';
import type { WebhookLogFilter } from './log-search.ts';

/** Explains why the log is empty and what to do. */
export function NoWebhooks({
  subscription,
  filter: { status, type },
  onClear,
}: {
  subscription: WebhookSubscription | undefined;
  filter: WebhookLogFilter;
  onClear: () => void;
}) {
  if (status !== undefined || type !== undefined) return <NoMatches what="webhooks" onClear={onClear} />;
  return (
    <Message title={`No webhooks in the last ${webhookLogDays} days`}>
      <p className="text-muted">
        {subscription === undefined
          ? 'A webhook appears here when the rule notifies.'
          : subscription.enabled
            ? 'A webhook appears here when one of the chosen events happens. Send a test to see whether the receiver works.'
            : 'The subscription is disabled. Enable it in the settings.'}
      </p>
    </Message>
  );
}
