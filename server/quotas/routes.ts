import { Usage } from '#contract/integrations/usage.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { route, type Route } from '#server/route.ts';
import { dayOf, endOfDay, exceededQuota, type QuotaLimits } from './quota-day.ts';
import { selectUsage } from './usage-store.ts';

export interface QuotaRoutesDeps extends Pick<SharedDeps, 'db' | 'clock'> {
  limits: QuotaLimits;
}

export function quotaRoutes({ db, clock, limits }: QuotaRoutesDeps): Route[] {
  return [
    route('GET', '/api/integrations/:integrationId/usage', {
      access: { role: 'viewer' },
      summary: 'Get what the integration has stored today (UTC), with its quotas',
      answer: { schema: Usage },
      handle: async ({ params: { integrationId }, caller: { userId } }): Promise<Usage> => {
        const now = clock();
        const { bytes, events, refused, ownerBytes, isOwner } = await db.withScope({ integrationId }, (tx) =>
          selectUsage(tx, integrationId, userId, dayOf(now)),
        );
        return {
          day: dayOf(now),
          endsAt: new Date(endOfDay(now)).toISOString(),
          bytes: usedOf(bytes, limits.integrationBytesPerDay),
          events: usedOf(events, limits.integrationEventsPerDay),
          ownerBytes: isOwner ? usedOf(ownerBytes, limits.personBytesPerDay) : null,
          exceeded: exceededQuota(limits, { bytes, events, ownerBytes }) ?? null,
          refused,
        };
      },
    }),
  ];
}

function usedOf(used: number, limit: number): Usage['bytes'] {
  return { used, limit: limit === 0 ? null : limit };
}
