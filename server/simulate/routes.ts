import { Type } from 'typebox';
import { SampleTraffic } from '#contract/integrations.ts';
import { Uuid } from '#contract/schema.ts';
import { route, type Route } from '#server/route.ts';
import type { SampleSender } from './sample-traffic.ts';

/** Only of a product that somebody tries on their own machine. */
export function sampleTrafficRoutes({ send }: Pick<SampleSender, 'send'>): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/integrations/:integrationId/sample-traffic',
      access: { role: 'admin' },
      summary:
        'Has invented webhooks arrive, signed as the forge would; only where the demo sign-in is offered',
      params: Type.Object({ integrationId: Uuid }),
      rateLimits: [{ perMinute: 10, by: 'caller' }],
      answer: { status: 202, schema: SampleTraffic },
      handle: ({ params: { integrationId } }) => send(integrationId),
    }),
  ];
}
