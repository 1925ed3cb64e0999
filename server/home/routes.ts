import { Home } from '#contract/integrations/home.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { route, type Route } from '#server/route.ts';
import { readHome } from './read-home.ts';

export function homeRoutes({ db, clock }: Pick<SharedDeps, 'db' | 'clock'>): Route[] {
  return [
    route('GET', '/api/home', {
      access: 'session-or-token',
      summary:
        'Get what concerns the caller in all their integrations: own runs and pull requests, red default branches, incidents, one line for each integration',
      answer: { schema: Home },
      handle: ({ caller }) => readHome(db, caller.userId, clock()),
    }),
  ];
}
