import { Type, type Static } from 'typebox';
import { nullable, pageQuery, Time, TimeInput, strictObject } from '../base/schema.ts';

export const deliveryVerdicts = [
  'waiting',
  'processing',
  'stored',
  'stale',
  'dead',
  'redriven',
  'dropped',
  'done',
  'refused',
  'ignored',
] as const;
/**
 * `redriven` and `dropped` were dead letters; a redriven one continues as a new delivery. `done` was processed without a
 * recorded outcome. `refused` and `ignored` were never queued: the forge got an error, or 200.
 */
export type DeliveryVerdict = (typeof deliveryVerdicts)[number];

/** Verdicts of a queued delivery. */
export type QueuedVerdict = Exclude<DeliveryVerdict, 'refused' | 'ignored'>;

/** Why a delivery was answered without being queued. */
export const unqueuedReasons = {
  invalid_signature: 'refused',
  payload_too_large: 'refused',
  unsupported_event: 'refused',
  invalid_json: 'refused',
  quota_exceeded: 'refused',
  storage_full: 'refused',
  not_subscribed: 'ignored',
  ping: 'ignored',
} as const satisfies Record<string, DeliveryVerdict>;
export type UnqueuedReason = keyof typeof unqueuedReasons;

const text = Type.String();

export const Delivery = Type.Object({
  /** The Forgewatch id. A repeated or replayed delivery gets another one. */
  deliveryId: text,
  /**
   * The id of the forge. Without one, a hash of the body, or null if it was never queued. The id of a replay starts with
   * `replay-`.
   */
  forgeDeliveryId: nullable(text),
  event: text,
  action: nullable(text),
  repository: nullable(text),
  verdict: Type.Enum([...deliveryVerdicts]),
  /** Why it is stale, became a dead letter or was never queued. */
  reason: nullable(text),
  receivedAt: Time,
  /** Later than `receivedAt` for a replayed or redriven delivery. */
  queuedAt: Time,
  replayed: Type.Boolean(),
  /** IP address of the sender. Only stored for a delivery that was never queued. */
  address: nullable(text),
});
export type Delivery = Static<typeof Delivery>;

export const DeliveryPage = Type.Object({
  items: Type.Array(Delivery),
  /** With filters a page may hold fewer items than asked for, even none, and still have a next one. */
  nextCursor: nullable(text),
});
export type DeliveryPage = Static<typeof DeliveryPage>;

const list = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));

export const DeliveryQuery = strictObject({
  ...pageQuery,
  /** One or more of the event types, comma-separated. */
  event: list,
  /** One or more verdicts, comma-separated. */
  verdict: list,
  /** The forge's delivery id or its beginning, or the Forgewatch id. */
  q: list,
  from: Type.Optional(TimeInput),
  to: Type.Optional(TimeInput),
});
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

const stepOutcomes = ['done', 'skipped', 'waiting', 'failed', 'unknown'] as const;
export type StepOutcome = (typeof stepOutcomes)[number];

/** Result of a rule that a delivery matched. */
const ruleOutcomes = ['sent', 'waiting', 'failed', 'suppressed'] as const;
export type RuleOutcome = (typeof ruleOutcomes)[number];

const ruleReasons = [
  'too_old',
  'hidden',
  'resolved',
  'repeated_delivery',
  'already_notified',
  'cooldown',
  'acknowledged',
  'snoozed',
  'resolved_meanwhile',
  'no_channel',
] as const;
export type RuleReason = (typeof ruleReasons)[number];

const DeliveryRule = Type.Object({
  ruleId: text,
  /** Null when it was deleted. */
  name: nullable(text),
  outcome: Type.Enum([...ruleOutcomes]),
  /** Why it is suppressed. */
  reason: nullable(Type.Enum([...ruleReasons])),
  /** A sentence for people. */
  detail: text,
});

export const DeliveryStep = Type.Object({
  step: Type.Enum([...deliverySteps]),
  outcome: Type.Enum([...stepOutcomes]),
  at: nullable(Time),
  /** A sentence for people. */
  detail: nullable(text),
  /** Of the step `alerted`, once the rules were evaluated: those that match, or that tell of a recovery. */
  rules: Type.Optional(Type.Array(DeliveryRule)),
});
export type DeliveryStep = Static<typeof DeliveryStep>;

export const DeliveryDetail = Type.Object({
  ...Delivery.properties,
  steps: Type.Array(DeliveryStep),
  /** Only those that say something about the delivery: event, delivery id, hook, content type, user agent. Other headers are not stored. */
  headers: Type.Array(Type.Object({ name: text, value: text })),
  /** Bytes of the payload. */
  size: nullable(Type.Integer()),
  /** The payload as received; null if it was not stored, was deleted or cannot be decrypted. */
  body: nullable(text),
  /** Whether the text ends after its first 256 KiB. The whole is at `…/body`. */
  truncated: Type.Boolean(),
});
export type DeliveryDetail = Static<typeof DeliveryDetail>;

/** The same body is queued again under a delivery id of its own. */
export const Replayed = Type.Object({ forgeDeliveryId: text });
export type Replayed = Static<typeof Replayed>;

export const DeadLetter = Type.Object({
  /** Also the `deliveryId` of the delivery that it was. */
  messageId: text,
  /** From the delivery; null when its message was deleted. */
  event: nullable(text),
  repository: nullable(text),
  forgeDeliveryId: nullable(text),
  /** A stable word such as `invalid_payload`, `expired` or `abandoned`. */
  reason: text,
  detail: nullable(text),
  sentAt: Time,
  deadAt: Time,
});
export type DeadLetter = Static<typeof DeadLetter>;

export const DeadLetterPage = Type.Object({ items: Type.Array(DeadLetter), nextCursor: nullable(text) });
export type DeadLetterPage = Static<typeof DeadLetterPage>;

export const DeadLetterQuery = strictObject({
  ...pageQuery,
  /** Only this one, if it is still a dead letter. */
  messageId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});

/** Without `messageIds`, all dead letters of the integration. */
export const RedriveBody = strictObject({
  messageIds: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 1000 })),
});

export const Redriven = Type.Object({ redriven: Type.Integer() });
export type Redriven = Static<typeof Redriven>;
