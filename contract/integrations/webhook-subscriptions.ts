import { Type, type Static } from 'typebox';
import { nullable, oneLine, pageOf, Time, Uuid, strictObject } from '../base/schema.ts';
import { eventWebhookTypes } from './webhook-types.ts';
import { RotateSecretBody } from './integrations.ts';

/** Subscriptions of an integration. */
export const mostSubscriptions = 10;
/** Webhooks that wait for one receiver. A subscription with more is disabled; further ones are failed and can be replayed. */
export const mostWaitingWebhooks = 10_000;
/** Counting failed webhooks ends here. */
export const mostFailedCount = 1000;

/**
 * Why the service disabled a subscription. `failing`: every attempt failed for three days. `gone`: the receiver answered 410.
 * `full`: `mostWaitingWebhooks` were waiting.
 */
export const disabledReasons = ['failing', 'gone', 'full'] as const;

const subscriptionFields = {
  name: oneLine(100),
  eventTypes: Type.Array(Type.Enum([...eventWebhookTypes]), {
    minItems: 1,
    maxItems: eventWebhookTypes.length,
    uniqueItems: true,
  }),
};

const url = Type.String({ minLength: 1, maxLength: 2000 });

export const NewSubscriptionBody = strictObject({
  ...subscriptionFields,
  /** HTTPS only. It is never returned. */
  url,
});
export type NewSubscriptionBody = Static<typeof NewSubscriptionBody>;

export const SubscriptionBody = strictObject({
  ...subscriptionFields,
  /** Omit it to keep the stored one. */
  url: Type.Optional(url),
  /** A disabled subscription gets no events. Webhooks that wait become failed, and can be replayed. */
  enabled: Type.Boolean(),
});
export type SubscriptionBody = Static<typeof SubscriptionBody>;

/** Where the events of an integration are sent to, as signed webhooks. The URL is write-only; only its host is returned. */
export const WebhookSubscription = Type.Object({
  subscriptionId: Uuid,
  ...subscriptionFields,
  host: Type.String(),
  enabled: Type.Boolean(),
  /** Null unless the service disabled it. */
  disabledReason: nullable(Type.Enum([...disabledReasons])),
  /** The first failed attempt since the last success; null when the last attempt succeeded. */
  failingSince: nullable(Time),
  /** Why the last attempt failed, in words; null when it succeeded. */
  lastProblem: nullable(Type.String()),
  lastSuccessAt: nullable(Time),
  /** Webhooks that wait, at most `mostWaitingWebhooks`. */
  waiting: Type.Integer(),
  /** When the first of them is sent again; null unless its last attempt failed. */
  nextAttemptAt: nullable(Time),
  /** Webhooks of the delivery log that failed, at most `mostFailedCount`. They can be replayed. */
  failed: Type.Integer(),
  /** The previous signing secret signs too until then. */
  previousSecretUntil: nullable(Time),
  createdAt: Time,
  /** `whsec_...` in the response that created it, otherwise null. */
  signingSecret: nullable(Type.String()),
});
export type WebhookSubscription = Static<typeof WebhookSubscription>;

/** All of them: an integration has at most `mostSubscriptions`. */
export const WebhookSubscriptionPage = pageOf(WebhookSubscription);

/** How long both secrets sign. */
export const RotateSigningSecretBody = RotateSecretBody;

export const TestedSubscription = Type.Object({
  /** Names the test in the delivery log. */
  webhookId: Uuid,
});
