import { FindRunsQuery, RunsByIntegration } from '#contract/runs/found-runs.ts';
import type { Database } from '#platform/database/database.ts';
import { route, type Route } from '#server/route.ts';
import { findRuns } from './find-runs.ts';

export function searchRoutes({ db }: { db: Database }): Route[] {
  return [
    route('GET', '/api/search/runs', {
      access: 'session-or-token',
      summary: 'Find workflow runs in all integrations of the caller',
      query: FindRunsQuery,
      // The command palette asks while a person types.
      rateLimits: [{ perMinute: 120, by: 'caller' }],
      answer: { schema: RunsByIntegration },
      handle: ({ query, caller }) => findRuns(db, caller.userId, query),
    }),
  ];
}
