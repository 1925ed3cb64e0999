import { queryOptions } from '@tanstack/react-query';
import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { readEvery } from '../api/read-every.ts';

export const subscriptionsPath = (integrationId: string): string =>
  `/api/integrations/${integrationId}/webhook-subscriptions`;

/** A subscription, or a webhook channel of a notification rule. */
export const receiverPath = (integrationId: string, receiverId: string): string =>
  `/api/integrations/${integrationId}/webhook-receivers/${encodeURIComponent(receiverId)}`;

export const webhookPath = (integrationId: string, webhookId: string): string =>
  `/api/integrations/${integrationId}/outgoing-webhooks/${encodeURIComponent(webhookId)}`;

const askEveryMs = 5000;

export const subscriptionsQuery = (integrationId: string) =>
  queryOptions({
    ...jsonQuery<{ items: WebhookSubscription[] }>(subscriptionsPath(integrationId)),
    select: ({ items }) => items,
    refetchInterval: readEvery(askEveryMs),
  });
