import { Type, type Static } from 'typebox';
import { nullable, Time } from '../base/schema.ts';

/** `owner_bytes` is the quota of the owner for all their integrations together. */
export const quotaNames = ['bytes', 'events', 'owner_bytes'] as const;
export type QuotaName = (typeof quotaNames)[number];

const Used = Type.Object({
  used: Type.Integer(),
  /** Null when there is no limit. */
  limit: nullable(Type.Integer()),
});

/** What an integration has stored today. Other processes add their numbers every second. */
export const Usage = Type.Object({
  /** The day in UTC. */
  day: Type.String({ format: 'date' }),
  /** When the numbers begin again at 0. */
  endsAt: Time,
  /** Of webhooks and test reports, as received. */
  bytes: Used,
  /** Accepted webhooks. */
  events: Used,
  /** Bytes of all integrations of the owner. Only for the owner; null for others. */
  ownerBytes: nullable(Used),
  /** The quota that is used up: further webhooks and test reports are refused with `quota_exceeded` until `endsAt`. */
  exceeded: nullable(Type.Enum([...quotaNames])),
  /** Webhooks and test reports that were refused for it. */
  refused: Type.Integer(),
});
export type Usage = Static<typeof Usage>;
