import { useQuery } from '@tanstack/react-query';
import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { rulesQuery } from '../../alerts/alert-queries.ts';
import { subscriptionsQuery } from '../webhook-queries.ts';

export interface Receiver {
  name: string;
  /** Undefined for a channel of a notification rule. */
  subscription?: WebhookSubscription;
}

/** Who gets the webhooks of a log. Undefined while it loads, and when it is gone. */
export function useReceiver(integrationId: string, receiverId: string): Receiver | undefined {
  const subscriptions = useQuery(subscriptionsQuery(integrationId)).data;
  const subscription = subscriptions?.find((each) => each.subscriptionId === receiverId);
  const rules = useQuery({
    ...rulesQuery(integrationId),
    enabled: subscriptions !== undefined && subscription === undefined,
  }).data;
  if (subscription !== undefined) return { name: subscription.name, subscription };
  const rule = rules?.find(({ channels }) => channels.some(({ channelId }) => channelId === receiverId));
  return rule && { name: `the rule ${rule.name}` };
}
