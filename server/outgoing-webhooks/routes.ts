import {
  OutgoingWebhook,
  OutgoingWebhookDetail,
  OutgoingWebhookPage,
  OutgoingWebhookQuery,
  ReplayAnswer,
  ReplayFailedBody,
} from '#contract/integrations/outgoing-webhooks.ts';
import { defaultGraceHours } from '#contract/integrations/integrations.ts';
import {
  NewSubscriptionBody,
  RotateSigningSecretBody,
  SubscriptionBody,
  TestedSubscription,
  WebhookSubscription,
  WebhookSubscriptionPage,
} from '#contract/integrations/webhook-subscriptions.ts';
import { route, type Route } from '#server/route.ts';
import { readWebhook, readWebhooks } from './log/read-log.ts';
import { replayFailed, replayWebhook, type ReplayDeps } from './log/replay.ts';
import { readSubscriptions } from './subscriptions/read-subscriptions.ts';
import { rotateSigningSecret } from './subscriptions/rotate-signing-secret.ts';
import {
  changeSubscription,
  createSubscription,
  removeSubscription,
  type SubscriptionDeps,
} from './subscriptions/save-subscription.ts';
import { testSubscription } from './subscriptions/test-subscription.ts';

export interface OutgoingWebhookRoutesDeps extends SubscriptionDeps, ReplayDeps {}

const one = '/api/integrations/:integrationId';
const subscriptions = `${one}/webhook-subscriptions`;
const webhooks = `${one}/outgoing-webhooks`;
const receiver = `${one}/webhook-receivers/:receiverId`;
const viewer = { role: 'viewer' } as const;
const member = { role: 'member' } as const;
const admin = { role: 'admin' } as const;

export function outgoingWebhookRoutes(deps: OutgoingWebhookRoutesDeps): Route[] {
  return [...subscriptionRoutes(deps), ...secretRoutes(deps), ...logRoutes(deps), ...replayRoutes(deps)];
}

function subscriptionRoutes(deps: OutgoingWebhookRoutesDeps): Route[] {
  const { db } = deps;
  return [
    route('GET', subscriptions, {
      access: viewer,
      summary: 'List webhook subscriptions; URLs are reduced to their host',
      answer: { schema: WebhookSubscriptionPage },
      handle: async ({ params: { integrationId } }) => ({
        items: await db.withScope({ integrationId }, (tx) => readSubscriptions(tx, integrationId)),
        nextCursor: null,
      }),
    }),
    route('POST', subscriptions, {
      access: admin,
      summary: 'Subscribe a URL to events as signed webhooks; the signing secret is returned only once',
      body: NewSubscriptionBody,
      rateLimits: [{ perMinute: 60, by: 'caller' }],
      isConfidential: true,
      errors: ['conflict'],
      answer: { status: 201, schema: WebhookSubscription },
      handle: ({ actor, body }) => createSubscription(deps, actor, body),
    }),
    route('PUT', `${subscriptions}/:subscriptionId`, {
      access: admin,
      summary: 'Change a webhook subscription, or enable it again',
      body: SubscriptionBody,
      answer: { schema: WebhookSubscription },
      handle: ({ actor, params: { subscriptionId }, body }) =>
        changeSubscription(deps, actor, subscriptionId, body),
    }),
    route('DELETE', `${subscriptions}/:subscriptionId`, {
      access: admin,
      summary: 'Delete a webhook subscription; webhooks that wait are not sent',
      answer: { status: 204 },
      handle: ({ actor, params: { subscriptionId } }) => removeSubscription(db, actor, subscriptionId),
    }),
  ];
}

function secretRoutes(deps: OutgoingWebhookRoutesDeps): Route[] {
  return [
    route('POST', `${subscriptions}/:subscriptionId/secret`, {
      access: admin,
      summary: 'Replace the signing secret; for a grace period both secrets sign',
      body: RotateSigningSecretBody,
      rateLimits: [{ perMinute: 60, by: 'caller' }],
      isConfidential: true,
      answer: { schema: WebhookSubscription },
      handle: ({ actor, params: { subscriptionId }, body }) => {
        const { graceHours = defaultGraceHours } = body;
        return rotateSigningSecret(deps, actor, subscriptionId, graceHours);
      },
    }),
    route('POST', `${subscriptions}/:subscriptionId/test`, {
      access: admin,
      summary: 'Send a webhook of the type test; the delivery log shows the result',
      rateLimits: [{ perMinute: 20, by: 'caller' }],
      errors: ['conflict'],
      answer: { status: 202, schema: TestedSubscription },
      handle: ({ actor, params: { subscriptionId } }) => testSubscription(deps.db, actor, subscriptionId),
    }),
  ];
}

function logRoutes({ db, sealer }: OutgoingWebhookRoutesDeps): Route[] {
  return [
    route('GET', `${receiver}/webhooks`, {
      access: viewer,
      summary: 'List the webhooks to a subscription or to a channel of a notification rule, newest first',
      query: OutgoingWebhookQuery,
      answer: { schema: OutgoingWebhookPage },
      handle: ({ params: { integrationId, receiverId }, query }) =>
        db.withScope({ integrationId }, (tx) => readWebhooks(tx, integrationId, receiverId, query)),
    }),
    route('GET', `${webhooks}/:webhookId`, {
      access: member,
      summary: 'Get an outgoing webhook with its body and its attempts',
      answer: { schema: OutgoingWebhookDetail },
      handle: ({ params: { integrationId, webhookId } }) =>
        db.withScope({ integrationId }, (tx) => readWebhook(tx, sealer, integrationId, webhookId)),
    }),
  ];
}

function replayRoutes(deps: OutgoingWebhookRoutesDeps): Route[] {
  const limited = { rateLimits: [{ perMinute: 60, by: 'caller' }] } as const;
  return [
    route('POST', `${webhooks}/:webhookId/replay`, {
      ...limited,
      access: member,
      summary: 'Send a webhook again with the same id',
      errors: ['conflict'],
      answer: { status: 202, schema: OutgoingWebhook },
      handle: ({ actor, params: { webhookId } }) => replayWebhook(deps, actor, webhookId),
    }),
    route('POST', `${receiver}/replay-failed`, {
      ...limited,
      access: member,
      summary: 'Send the failed webhooks of a receiver since a time again, oldest first',
      body: ReplayFailedBody,
      errors: ['conflict'],
      answer: { status: 202, schema: ReplayAnswer },
      handle: ({ actor, params: { receiverId }, body }) => replayFailed(deps, actor, receiverId, body),
    }),
  ];
}
