import { Type, type Static } from 'typebox';
import { nullable, pageQuery, Time, TimeInput } from './schema.ts';

/** Webhooks that were accepted. What was refused is not kept: it is counted in the event log. */

export const deliveryVerdicts = [
  'waiting',
  'processing',
  'stored',
  'stale',
  'dead',
  'redriven',
  'dropped',
  'done',
] as const;
/**
 * `redriven` and `dropped` is what was dead: a redriven one is a delivery of its own from then on. `done` is what was
 * processed and whose outcome is not on record.
 */
export type DeliveryVerdict = (typeof deliveryVerdicts)[number];

const text = Type.String();

export const Delivery = Type.Object({
  /** Ours: a repeated or replayed delivery gets another one. */
  deliveryId: text,
  /** The id the forge gave, a hash of the body where it gave none, or `replay-` and an id of ours. */
  forgeDeliveryId: text,
  event: text,
  action: nullable(text),
  repository: nullable(text),
  verdict: Type.Enum([...deliveryVerdicts]),
  /** Why it is stale or dead, or was dead before it was redriven or dropped. */
  reason: nullable(text),
  receivedAt: Time,
  /** Later than received for what was replayed or redriven. */
  queuedAt: Time,
  replayed: Type.Boolean(),
});
export type Delivery = Static<typeof Delivery>;

export const DeliveryPage = Type.Object({
  items: Type.Array(Delivery),
  /** With filters a page may hold fewer items than asked for, even none, and still have a next one. */
  nextCursor: nullable(text),
});
export type DeliveryPage = Static<typeof DeliveryPage>;

const list = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));

export const DeliveryQuery = Type.Object(
  {
    ...pageQuery,
    /** One or more of the event types, comma-separated. */
    event: list,
    /** One or more verdicts, comma-separated. */
    verdict: list,
    /** An id that the forge gave. */
    forgeDeliveryId: list,
    from: Type.Optional(TimeInput),
    to: Type.Optional(TimeInput),
  },
  { additionalProperties: false },
);
export type DeliveryQuery = Static<typeof DeliveryQuery>;

const deliverySteps = [
  'received',
  'verified',
  'queued',
  'stored',
  'pushed',
  'alerted',
  'dead',
  'redriven',
  'dropped',
] as const;
export type DeliveryStepName = (typeof deliverySteps)[number];

const stepOutcomes = ['done', 'skipped', 'waiting', 'failed', 'unknown'] as const;
export type StepOutcome = (typeof stepOutcomes)[number];

export const DeliveryStep = Type.Object({
  step: Type.Enum([...deliverySteps]),
  outcome: Type.Enum([...stepOutcomes]),
  at: nullable(Time),
  /** A sentence for people. */
  detail: nullable(text),
});
export type DeliveryStep = Static<typeof DeliveryStep>;

export const DeliveryDetail = Type.Object({
  ...Delivery.properties,
  steps: Type.Array(DeliveryStep),
  /** Only those that say something about the delivery: event, delivery id, hook, content type, user agent. No others are kept. */
  headers: Type.Array(Type.Object({ name: text, value: text })),
  /** Bytes of the payload as JSON. */
  size: nullable(Type.Integer()),
  /** The payload as JSON text, formatted anew; null when it is no longer kept, or does not open. */
  body: nullable(text),
  /** Whether the text ends after its first 2 MiB. */
  truncated: Type.Boolean(),
});
export type DeliveryDetail = Static<typeof DeliveryDetail>;

/** The same body is queued again under a delivery id of its own. */
export const Replayed = Type.Object({ forgeDeliveryId: text });
export type Replayed = Static<typeof Replayed>;

export const DeadLetter = Type.Object({
  messageId: text,
  /** A stable word such as `invalid_payload`, `expired` or `abandoned`. */
  reason: text,
  detail: nullable(text),
  sentAt: Time,
  deadAt: Time,
});
export type DeadLetter = Static<typeof DeadLetter>;

export const DeadLetterPage = Type.Object({ items: Type.Array(DeadLetter), nextCursor: nullable(text) });
export type DeadLetterPage = Static<typeof DeadLetterPage>;

export const DeadLetterQuery = Type.Object({ ...pageQuery }, { additionalProperties: false });

/** All of the integration's letters when none are named. */
export const RedriveBody = Type.Object(
  { messageIds: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 1000 })) },
  { additionalProperties: false },
);
export type RedriveBody = Static<typeof RedriveBody>;

export const Redriven = Type.Object({ redriven: Type.Integer() });
export type Redriven = Static<typeof Redriven>;
