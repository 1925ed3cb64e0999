import { useQueryClient } from '@tanstack/react-query';
import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { sendJson } from '../../api/client.ts';
import { toast } from '../../ui/dialog/toast.ts';
import { subscriptionsPath } from '../webhook-queries.ts';

/** Enables or disables a subscription. */
export function useSetEnabled(
  integrationId: string,
  { subscriptionId, name, eventTypes }: WebhookSubscription,
) {
  const client = useQueryClient();
  const path = subscriptionsPath(integrationId);
  return async (enabled: boolean): Promise<void> => {
    await sendJson('PUT', `${path}/${subscriptionId}`, { name, eventTypes, enabled });
    toast(enabled ? 'Subscription enabled' : 'Subscription disabled');
    await client.invalidateQueries({ queryKey: [path] });
  };
}
