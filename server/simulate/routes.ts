import { SampleTraffic } from '#contract/integrations/integrations.ts';
import { route, type Route } from '#server/route.ts';
import type { SampleSender } from './sample-traffic.ts';

/** Exists only while the demo sign-in is available. */
export function sampleTrafficRoutes({ send }: Pick<SampleSender, 'send'>): Route[] {
  return [
    route('POST', '/api/integrations/:integrationId/sample-traffic', {
      access: { role: 'admin' },
      summary: 'Send sample webhooks to the integration; only with the demo sign-in',
      rateLimits: [{ perMinute: 10, by: 'caller' }],
      errors: ['conflict'],
      answer: { status: 202, schema: SampleTraffic },
      handle: ({ actor }) => send(actor),
    }),
  ];
}
