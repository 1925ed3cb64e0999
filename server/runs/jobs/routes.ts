import { JobPage, JobQuery } from '#contract/runs/jobs.ts';
import type { Database } from '#platform/database/database.ts';
import { route, type Route } from '#server/route.ts';
import { listJobs } from './list-jobs.ts';

export function jobRoutes({ db }: { db: Database }): Route[] {
  return [
    route('GET', '/api/integrations/:integrationId/jobs', {
      access: { role: 'viewer' },
      summary: 'List completed jobs of all attempts, the last completed first',
      query: JobQuery,
      answer: { schema: JobPage },
      handle: ({ params: { integrationId }, query }) =>
        db.withScope({ integrationId }, (tx) => listJobs(tx, integrationId, query)),
    }),
  ];
}
