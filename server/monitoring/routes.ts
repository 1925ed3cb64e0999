import { Type } from 'typebox';
import { Metrics, MetricsQuery } from '#contract/metrics.ts';
import {
  WorkflowFacets,
  WorkflowFacetsQuery,
  WorkflowRunDetail,
  WorkflowRunPage,
  WorkflowRunQuery,
  type StreamPosition,
} from '#contract/monitoring.ts';
import { Overview, OverviewQuery } from '#contract/overview.ts';
import { Uuid } from '#contract/schema.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { route } from '#platform/http/route.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Route } from '#server/route.ts';
import { facetsOfRuns } from './count-facets.ts';
import { KeptAnswers, type ReadChanges } from './kept-answers.ts';
import { KeptSums } from './kept-sums.ts';
import { listRuns } from './list-runs.ts';
import { readMetrics } from './read-metrics.ts';
import { readOverview } from './read-overview.ts';
import { readRun } from './read-run.ts';

export interface MonitoringRoutesDeps {
  db: Database;
  clock: Clock;
  /** Where the integration's stream of updates is, read in the transaction of the list. */
  readPosition(tx: Tx, integrationId: string): Promise<StreamPosition>;
  readChanges: ReadChanges;
}

export function monitoringRoutes({ db, clock, readPosition, readChanges }: MonitoringRoutesDeps): Route[] {
  const answers = new KeptAnswers(readChanges);
  const sums = new KeptSums();
  /** Answers of one snapshot, from memory where nothing was stored since. */
  const askOnce = <T>(
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
      path: '/api/integrations/:integrationId/workflows',
      access: { role: 'viewer' },
      summary: 'Workflow runs, newest first',
      params: Type.Object({ integrationId: Uuid }),
      query: WorkflowRunQuery,
      answer: { schema: WorkflowRunPage },
      handle: ({ params: { integrationId }, query }) =>
        // One snapshot: an update is either in the list or comes after its position.
        db.withScope(
          { integrationId },
          async (tx) => {
            const [stream, page] = await Promise.all([
              readPosition(tx, integrationId),
              listRuns(tx, integrationId, query),
            ]);
            return { ...page, stream };
          },
          { snapshot: true },
        ),
    }),
    route({
      method: 'GET',
      path: '/api/integrations/:integrationId/workflows/facets',
      access: { role: 'viewer' },
      summary: 'Values to filter runs by, with how many of the newest runs have them',
      params: Type.Object({ integrationId: Uuid }),
      query: WorkflowFacetsQuery,
      answer: { schema: WorkflowFacets },
      handle: ({ params: { integrationId }, query }) =>
        db.withScope({ integrationId }, (tx) => facetsOfRuns(tx, integrationId, query)),
    }),
    route({
      method: 'GET',
      path: '/api/integrations/:integrationId/workflows/:runId',
      access: { role: 'viewer' },
      summary: 'One workflow run with its attempts, jobs and pull requests',
      params: Type.Object({
        integrationId: Uuid,
        runId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      }),
      answer: { schema: WorkflowRunDetail },
      handle: async ({ params: { integrationId, runId } }) => {
        const detail = await db.withScope({ integrationId }, (tx) => readRun(tx, integrationId, runId), {
          snapshot: true,
        });
        if (detail === undefined) throw new AppError('not_found', { detail: 'There is no such run.' });
        return detail;
      },
    }),
    route({
      method: 'GET',
      path: '/api/integrations/:integrationId/overview',
      access: { role: 'viewer' },
      summary: 'How the integration is doing: numbers against the time before, what is red, the last runs',
      params: Type.Object({ integrationId: Uuid }),
      query: OverviewQuery,
      answer: { schema: Overview },
      handle: ({ params: { integrationId }, query: { range = '24h' } }) =>
        askOnce(integrationId, ['overview', range], (tx, now) =>
          readOverview(tx, integrationId, range, now, sums),
        ),
    }),
    route({
      method: 'GET',
      path: '/api/integrations/:integrationId/metrics',
      access: { role: 'viewer' },
      summary: 'Numbers of a time by hour or day, in total and by repository, workflow, branch or runner',
      params: Type.Object({ integrationId: Uuid }),
      query: MetricsQuery,
      answer: { schema: Metrics },
      handle: ({ params: { integrationId }, query }) =>
        askOnce(integrationId, ['metrics', query], (tx, now) =>
          readMetrics(tx, integrationId, query, now, sums),
        ),
    }),
  ];
}
