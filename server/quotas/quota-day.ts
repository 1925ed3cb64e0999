import type { QuotaName } from '#contract/integrations/usage.ts';
import { byteSize } from '#contract/base/byte-size.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

/** Limits of a day. 0: none. */
export interface QuotaLimits {
  integrationBytesPerDay: number;
  integrationEventsPerDay: number;
  personBytesPerDay: number;
}

export interface Counts {
  bytes: number;
  events: number;
  ownerBytes: number;
}

/** The quota that is used up, if any. */
export function exceededQuota(
  { integrationBytesPerDay, integrationEventsPerDay, personBytesPerDay }: QuotaLimits,
  { bytes, events, ownerBytes }: Counts,
): QuotaName | undefined {
  const isReached = (used: number, limit: number): boolean => limit > 0 && used >= limit;
  if (isReached(bytes, integrationBytesPerDay)) return 'bytes';
  if (isReached(events, integrationEventsPerDay)) return 'events';
  return isReached(ownerBytes, personBytesPerDay) ? 'owner_bytes' : undefined;
}

/** The day in UTC, such as `2026-01-31`. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** The next midnight in UTC. */
export function endOfDay(now: number): number {
  return (Math.floor(now / dayMs) + 1) * dayMs;
}

const settings = {
  bytes: 'INTEGRATION_BYTES_PER_DAY',
  events: 'INTEGRATION_EVENTS_PER_DAY',
  owner_bytes: 'PERSON_BYTES_PER_DAY',
} as const satisfies Record<QuotaName, string>;

/** A sentence for people, and the setting of the operator. */
export function describeExceeded(
  quota: QuotaName,
  limits: QuotaLimits,
): { title: string; setting: (typeof settings)[QuotaName] } {
  const titles = {
    bytes: `The quota of ${byteSize(limits.integrationBytesPerDay)} a day for webhooks and test reports is used up`,
    events: `The quota of ${limits.integrationEventsPerDay} webhooks a day is used up`,
    owner_bytes: `The quota of ${byteSize(limits.personBytesPerDay)} a day for all integrations of the owner is used up`,
  };
  return { title: titles[quota], setting: settings[quota] };
}
