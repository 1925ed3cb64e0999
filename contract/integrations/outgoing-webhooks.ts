import { Type, type Static } from 'typebox';
import { nullable, pageOf, pageQuery, Time, TimeInput, Uuid, strictObject } from '../base/schema.ts';
import { webhookTypes } from './webhook-types.ts';

/** `waiting`: its next attempt is planned. `failed`: it is not sent again unless somebody replays it. */
export const outgoingWebhookStatuses = ['waiting', 'sent', 'failed'] as const;
export type OutgoingWebhookStatus = (typeof outgoingWebhookStatuses)[number];

/** How long a webhook and its body stay in the delivery log. */
export const webhookLogDays = 7;
/** More attempts than this are not listed, and such a webhook is not replayed. */
export const mostAttempts = 200;
/** Webhooks that one request replays. */
export const mostReplayed = 1000;

/** One webhook to one receiver. */
export const OutgoingWebhook = Type.Object({
  /** Sent as `webhook-id`. A replay has the same. */
  webhookId: Uuid,
  /** The subscription, or the channel of a notification rule. */
  receiverId: Uuid,
  /** Such as `run.completed`. */
  type: Type.String(),
  status: Type.Enum([...outgoingWebhookStatuses]),
  attempts: Type.Integer(),
  /** What the receiver answered last; null when it did not. */
  statusCode: nullable(Type.Integer()),
  /** How long the last attempt took. */
  durationMs: nullable(Type.Integer()),
  /** Why the last attempt failed, in words. */
  problem: nullable(Type.String()),
  createdAt: Time,
  /** Null unless it waits. A webhook that waits for an earlier one of the same receiver has no time yet. */
  nextAttemptAt: nullable(Time),
});
export type OutgoingWebhook = Static<typeof OutgoingWebhook>;

export const OutgoingWebhookPage = pageOf(OutgoingWebhook);

export const OutgoingWebhookQuery = strictObject({
  ...pageQuery,
  status: Type.Optional(Type.Enum([...outgoingWebhookStatuses])),
  type: Type.Optional(Type.Enum([...webhookTypes])),
});
export type OutgoingWebhookQuery = Static<typeof OutgoingWebhookQuery>;

const WebhookAttempt = Type.Object({
  number: Type.Integer(),
  at: Time,
  durationMs: Type.Integer(),
  statusCode: nullable(Type.Integer()),
  /** Null when the receiver accepted it. */
  problem: nullable(Type.String()),
});
export type WebhookAttempt = Static<typeof WebhookAttempt>;

export const OutgoingWebhookDetail = Type.Object({
  webhook: OutgoingWebhook,
  /** Newest first. */
  attempts: Type.Array(WebhookAttempt),
  /** The body as it is sent; null when it is too large to be kept. */
  body: nullable(Type.String()),
});
export type OutgoingWebhookDetail = Static<typeof OutgoingWebhookDetail>;

export const ReplayFailedBody = strictObject({
  /** Failed webhooks that were created at this time or later. */
  since: TimeInput,
});
export type ReplayFailedBody = Static<typeof ReplayFailedBody>;

export const ReplayAnswer = Type.Object({
  /** Webhooks that wait for their next attempt. */
  replayed: Type.Integer(),
  /** Whether failed webhooks remain: one request replays at most `mostReplayed`. */
  hasMore: Type.Boolean(),
});
export type ReplayAnswer = Static<typeof ReplayAnswer>;
