import { WsToken } from '#contract/members/identity.ts';
import type { Database } from '#platform/database/database.ts';
import { integrationIdsOf } from '#server/members/memberships-of-user.ts';
import { route, type Route } from '#server/route.ts';
import type { Realtime } from './realtime.ts';

export interface RealtimeRoutesDeps {
  db: Database;
  mintToken: Realtime['mintToken'];
  wsUrl: string;
}

export function realtimeRoutes({ db, mintToken, wsUrl }: RealtimeRoutesDeps): Route[] {
  return [
    route('GET', '/api/auth/ws-token', {
      access: 'session-or-token',
      summary: 'Get a signed token that opens the WebSocket within a minute',
      // Clients retry after a 429: a person who opens many pages at once gets the last tokens a moment later.
      rateLimits: [
        { perSecond: 5, by: 'caller' },
        { perMinute: 60, by: 'caller' },
      ],
      isConfidential: true,
      answer: { schema: WsToken },
      handle: async ({ caller: { userId, sessionId, integrationIds: allowed, token: apiToken } }) => {
        const all = await integrationIdsOf(db, userId);
        const integrationIds = allowed === undefined ? all : all.filter((id) => allowed.includes(id));
        const { token, expiresAt } = mintToken({
          userId,
          sessionId,
          integrationIds,
          endsAt: apiToken?.expiresAt,
        });
        return { token, expiresAt, url: wsUrl };
      },
    }),
  ];
}
