import { Type } from 'typebox';
import { Metrics, MetricsQuery } from '#contract/metrics.ts';
import { Overview, OverviewQuery } from '#contract/overview.ts';
import { Uuid } from '#contract/schema.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { route, type Route } from '#server/route.ts';
import { CachedAnswers, type ReadChanges } from './cached-answers.ts';
import { CachedSums } from './cached-sums.ts';
import { readMetrics } from './read-metrics.ts';
import { readOverview } from './read-overview.ts';

export interface DashboardRoutesDeps {
  db: Database;
  clock: Clock;
  readChanges: ReadChanges;
}

export function dashboardRoutes({ db, clock, readChanges }: DashboardRoutesDeps): Route[] {
  const answers = new CachedAnswers(readChanges);
  const sums = new CachedSums();
  /** Answers from one snapshot, or from the cache when no event was stored since the last answer. */
  const answerFromCache = <T>(
    integrationId: string,
    question: unknown,
    read: (tx: Tx, now: number) => Promise<T>,
  ): Promise<T> =>
    db.withScope(
      { integrationId },
      (tx) => {
        const now = clock();
        return answers.answer(tx, { integrationId, question, now }, () => read(tx, now));
      },
      { snapshot: true },
    );
  return [
    route({
      method: 'GET',
      path: '/api/integrations/:integrationId/overview',
      access: { role: 'viewer' },
      summary:
        'Health of the integration: figures compared with the previous period, open incidents, recent runs',
      params: Type.Object({ integrationId: Uuid }),
      query: OverviewQuery,
      answer: { schema: Overview },
      handle: ({ params: { integrationId }, query: { range = '24h' } }) =>
        answerFromCache(integrationId, ['overview', range], (tx, now) =>
          readOverview(tx, integrationId, range, now, sums),
        ),
    }),
    route({
      method: 'GET',
      path: '/api/integrations/:integrationId/metrics',
      access: { role: 'viewer' },
      summary: 'Time-series metrics by hour or day, in total and by repository, workflow, branch or runner',
      params: Type.Object({ integrationId: Uuid }),
      query: MetricsQuery,
      answer: { schema: Metrics },
      handle: ({ params: { integrationId }, query }) =>
        answerFromCache(integrationId, ['metrics', query], (tx, now) =>
          readMetrics(tx, integrationId, query, now, sums),
        ),
    }),
  ];
}
