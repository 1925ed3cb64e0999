import { SampleData } from '#contract/integrations/integrations.ts';
import { route, type Route } from '#server/route.ts';
import { readSampleData, removeSamples, type RemoveSamplesDeps } from './remove-samples.ts';

const path = '/api/integrations/:integrationId/sample-data';

export function sampleDataRoutes(deps: RemoveSamplesDeps): Route[] {
  return [
    route('GET', path, {
      access: { role: 'viewer' },
      summary: 'Get whether the integration has sample data',
      answer: { schema: SampleData },
      handle: ({ params: { integrationId } }) => readSampleData(deps.db, integrationId),
    }),
    route('DELETE', path, {
      access: { role: 'admin' },
      summary: 'Remove the sample data of the integration in the background; other data stays',
      rateLimits: [{ perMinute: 10, by: 'caller' }],
      answer: { status: 202, schema: SampleData },
      handle: ({ actor }) => removeSamples(deps, actor),
    }),
  ];
}
