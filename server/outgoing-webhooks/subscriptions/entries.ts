import { mostWaitingWebhooks } from '#contract/integrations/webhook-subscriptions.ts';
import type { LogEntry } from '#server/event-log/log-entry.ts';
import type { DisabledReason, SubscriptionRow } from './subscription-store.ts';

export const disabledTexts: Record<DisabledReason, string> = {
  failing: 'every attempt failed for three days',
  gone: 'the receiver answered 410',
  full: `${mostWaitingWebhooks.toLocaleString('en')} webhooks were waiting`,
};

/** What the service itself did or noticed. */
export function subscriptionEntry(
  integrationId: string,
  { subscription_id: subscriptionId, name, host }: Pick<SubscriptionRow, 'subscription_id' | 'name' | 'host'>,
  change: 'failing' | 'recovered' | 'disabled',
  problem: string | null = null,
): LogEntry {
  const subject = `The webhook subscription “${name}” to ${host}`;
  const texts = {
    failing: `${subject} fails: ${problem ?? ''}`,
    recovered: `${subject} works again`,
    disabled: `${subject} was disabled: ${problem ?? ''}`,
  };
  const severities = { failing: 'warning', recovered: 'info', disabled: 'error' } as const;
  return {
    integrationId,
    type: `webhook_subscription.${change}`,
    severity: severities[change],
    title: texts[change],
    details: { subscriptionId, name, host },
  };
}
